package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.CallbackContract;
import io.reactivecomm.testkit.ClaimContract;
import io.reactivecomm.testkit.DemandContract;
import io.reactivecomm.testkit.FlowContract;
import io.reactivecomm.testkit.LinksCollectiveContract;
import io.reactivecomm.testkit.MessageContract;
import io.reactivecomm.testkit.ReductionContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SubscriptionContract;
import io.reactivecomm.testkit.SwitchContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of what calls compute and move, and of those who subscribe to them, over TCP on loopback. */
@Tag("repeated")
class TcpContractTest {

    @Nested
    class Collectives extends LinksCollectiveContract implements TcpWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.repeated();
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract implements TcpWorlds {}

    @Nested
    class Claims extends ClaimContract implements TcpWorlds {}

    @Nested
    class Switches extends SwitchContract implements TcpWorlds {}

    @Nested
    class Demand extends DemandContract implements TcpWorlds {}

    @Nested
    class Callbacks extends CallbackContract implements TcpWorlds {}

    @Nested
    class Messages extends MessageContract implements TcpWorlds {}

    @Nested
    class Flow extends FlowContract implements TcpWorlds {}

    @Nested
    class Rows extends RowContract implements TcpWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.repeated();
        }
    }

    @Nested
    class Reductions extends ReductionContract implements TcpWorlds {}
}
