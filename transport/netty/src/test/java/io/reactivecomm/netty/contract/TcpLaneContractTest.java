package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.FlowContract;
import io.reactivecomm.testkit.collective.LinksCollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import io.reactivecomm.testkit.group.LostMemoryContract;
import io.reactivecomm.testkit.group.MeshContract;
import io.reactivecomm.testkit.stream.MessageContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts that have to do with many and large payloads, and with ends, over TCP on loopback with lanes; with {@code -Pthorough} also others'. */
@Tag("repeated")
class TcpLaneContractTest {

    private static final int LANES = 3;

    /** A pair, and some who do not all talk to each other. More ranks bring nothing to a link. */
    private static final List<Integer> SIZES = List.of(2, 3, 5);

    /** Worlds whose links have lanes. */
    interface LaneWorlds extends TcpWorlds {

        @Override
        default WorldContract.World open(int size) {
            return TcpWorlds.open(size, config -> config.withLanes(LANES));
        }
    }

    @Nested
    class Collectives extends LinksCollectiveContract implements LaneWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return new ShapeMatrix(Depth.isWhole() ? SIZES : List.of(3), false);
        }
    }

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements LaneWorlds {}

    @Nested
    class Messages extends MessageContract implements LaneWorlds {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements LaneWorlds {}

    @Nested
    @Tag("thorough")
    class LostMemory extends LostMemoryContract implements LaneWorlds {}

    @Nested
    class Flow extends FlowContract implements LaneWorlds {}

    @Nested
    @Tag("thorough")
    class GroupLives extends GroupLifeContract implements LaneWorlds {}

    @Nested
    @Tag("thorough")
    class StreamFaults extends StreamFaultContract implements LaneWorlds {}

    @Nested
    @Tag("thorough")
    class Meshes extends MeshContract implements LaneWorlds {}
}
