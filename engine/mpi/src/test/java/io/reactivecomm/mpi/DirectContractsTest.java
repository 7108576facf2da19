package io.reactivecomm.mpi;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.BadTensorContract;
import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SparseContract;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.collective.SupportsContract;
import io.reactivecomm.testkit.group.ClosedGroupContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.GroupContract;
import io.reactivecomm.testkit.group.GroupEndContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of collectives, scopes, composites and groups over the doubles of MPI and CUDA, with tensors on a device: by its addresses. */
@Tag("repeated")
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
    class Rows extends RowContract implements CudaWorlds.Direct {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.fewer();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class LivesOfGroups extends GroupLifeContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class EndsOfGroups extends GroupEndContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class ClosedGroups extends ClosedGroupContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements CudaWorlds.Direct {}

    @Nested
    @Tag("thorough")
    class Sparse extends SparseContract implements CudaWorlds.Direct {}

    @Nested
    class Kinds extends SupportsContract implements CudaWorlds.Direct {}

    @Nested
    class BadTensors extends BadTensorContract implements CudaWorlds.Direct {}
}
