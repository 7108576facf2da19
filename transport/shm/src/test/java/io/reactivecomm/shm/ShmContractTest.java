package io.reactivecomm.shm;

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

/**
 * The contracts of what calls compute and move, and of those who subscribe to them, through shared memory; those that have least to do with links with
 * {@code -Pthorough}.
 */
@Tag("repeated")
class ShmContractTest {

    @Nested
    class Collectives extends LinksCollectiveContract implements ShmWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.repeated();
        }
    }

    @Nested
    class Subscriptions extends SubscriptionContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Claims extends ClaimContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Switches extends SwitchContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Demand extends DemandContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements ShmWorlds {}

    @Nested
    class Messages extends MessageContract implements ShmWorlds {}

    @Nested
    class Flow extends FlowContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements ShmWorlds {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.repeated();
        }
    }

    @Nested
    class Reductions extends ReductionContract implements ShmWorlds {}
}
