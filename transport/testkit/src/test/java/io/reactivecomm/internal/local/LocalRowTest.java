package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;

/** The suite tries any two values together, {@code -Pthorough} all. */
class LocalRowTest extends RowContract implements LocalWorlds {

    @Override
    protected ShapeMatrix matrix() {
        return Depth.isWhole() ? ShapeMatrix.full() : ShapeMatrix.pairwise();
    }
}
