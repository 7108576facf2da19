package io.reactivecomm.shm;

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
