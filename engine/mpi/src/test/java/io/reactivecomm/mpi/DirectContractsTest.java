package io.reactivecomm.mpi;

import io.reactivecomm.testkit.BadTensorContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SupportsContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of engines over the doubles of MPI and CUDA, with tensors on a device: by its addresses. */
class DirectContractsTest {

    @Nested
    @Tag("thorough")
    class Results extends CollectiveContract implements CudaWorlds.Direct {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements CudaWorlds.Direct {}

    @Nested
    class Kinds extends SupportsContract implements CudaWorlds.Direct {}

    @Nested
    class BadTensors extends BadTensorContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Messages extends MessageContract implements CudaWorlds.Direct {}
}
