package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import org.junit.jupiter.api.Tag;

/** Ragged rows over the example engine. */
@Tag("repeated")
@Tag("thorough")
class MemoryRowTest extends RowContract implements MemoryWorlds {

    @Override
    protected ShapeMatrix matrix() {
        return Depth.isWhole() ? ShapeMatrix.full() : ShapeMatrix.few();
    }
}
