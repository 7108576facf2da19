package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.collective.LinksCollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;

/** The suite tries any two values together, {@code -Pthorough} all. */
class LocalCollectiveTest extends LinksCollectiveContract implements LocalWorlds {

    @Override
    protected ShapeMatrix matrix() {
        return Depth.isWhole() ? ShapeMatrix.full() : ShapeMatrix.pairwise();
    }
}
