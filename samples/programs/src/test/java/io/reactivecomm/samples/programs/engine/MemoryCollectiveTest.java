package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import org.junit.jupiter.api.Tag;

/** The results of the example engine, and of links for what it leaves to them. */
@Tag("repeated")
class MemoryCollectiveTest extends CollectiveContract implements MemoryWorlds {

    @Override
    protected ShapeMatrix matrix() {
        return Depth.isWhole() ? ShapeMatrix.full() : ShapeMatrix.few();
    }
}
