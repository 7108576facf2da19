package io.reactivecomm.shm;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.BarrierContract;
import io.reactivecomm.testkit.CallbackContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.DemandContract;
import io.reactivecomm.testkit.DisagreementContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.FlowContract;
import io.reactivecomm.testkit.GroupContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.Matrix;
import io.reactivecomm.testkit.MeshContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.ReductionContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.SubscriptionContract;
import org.junit.jupiter.api.Nested;

/** The contracts of the test kit, through shared memory. */
class ShmContractTest {

    @Nested
    class Collectives extends CollectiveContract implements ShmWorlds {

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract implements ShmWorlds {}

    @Nested
    class Demand extends DemandContract implements ShmWorlds {}

    @Nested
    class Callbacks extends CallbackContract implements ShmWorlds {}

    @Nested
    class Messages extends MessageContract implements ShmWorlds {}

    @Nested
    class BadCalls extends BadCallContract implements ShmWorlds {}

    @Nested
    class Disagreements extends DisagreementContract implements ShmWorlds {}

    @Nested
    class Faults extends FaultContract implements ShmWorlds {}

    @Nested
    class Flow extends FlowContract implements ShmWorlds {}

    @Nested
    class Rows extends RowContract implements ShmWorlds {

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Groups extends GroupContract implements ShmWorlds {}

    @Nested
    class GroupLives extends GroupLifeContract implements ShmWorlds {}

    @Nested
    class Barriers extends BarrierContract implements ShmWorlds {}

    @Nested
    class Reductions extends ReductionContract implements ShmWorlds {}

    @Nested
    class Meshes extends MeshContract implements ShmWorlds {}
}
