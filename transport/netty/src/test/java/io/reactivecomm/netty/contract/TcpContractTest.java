package io.reactivecomm.netty.contract;

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

/** The contracts of the test kit, over TCP on loopback. */
class TcpContractTest {

    @Nested
    class Collectives extends CollectiveContract implements TcpWorlds {

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract implements TcpWorlds {}

    @Nested
    class Demand extends DemandContract implements TcpWorlds {}

    @Nested
    class Callbacks extends CallbackContract implements TcpWorlds {}

    @Nested
    class Messages extends MessageContract implements TcpWorlds {}

    @Nested
    class BadCalls extends BadCallContract implements TcpWorlds {}

    @Nested
    class Disagreements extends DisagreementContract implements TcpWorlds {}

    @Nested
    class Faults extends FaultContract implements TcpWorlds {}

    @Nested
    class Flow extends FlowContract implements TcpWorlds {}

    @Nested
    class Rows extends RowContract implements TcpWorlds {

        @Override
        protected Matrix matrix() {
            return Matrix.pairwise();
        }
    }

    @Nested
    class Groups extends GroupContract implements TcpWorlds {}

    @Nested
    class GroupLives extends GroupLifeContract implements TcpWorlds {}

    @Nested
    class Barriers extends BarrierContract implements TcpWorlds {}

    @Nested
    class Reductions extends ReductionContract implements TcpWorlds {}

    @Nested
    class Meshes extends MeshContract implements TcpWorlds {}
}
