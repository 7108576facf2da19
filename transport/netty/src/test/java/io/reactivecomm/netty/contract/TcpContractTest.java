package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.DemandContract;
import io.reactivecomm.testkit.collective.FlowContract;
import io.reactivecomm.testkit.collective.LinksCollectiveContract;
import io.reactivecomm.testkit.collective.ReductionContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.ClaimContract;
import io.reactivecomm.testkit.group.SwitchContract;
import io.reactivecomm.testkit.stream.MessageContract;
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
