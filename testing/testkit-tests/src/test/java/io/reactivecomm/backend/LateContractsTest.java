package io.reactivecomm.backend;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.CallbackContract;
import io.reactivecomm.testkit.ClosedGroupContract;
import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.CompositeContract;
import io.reactivecomm.testkit.DisagreementContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.GroupEndContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SubscriptionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** An ordered engine that cannot take back its hands. */
@Tag("repeated")
class LateContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    @Tag("thorough")
    class Results extends CollectiveContract implements DoubleWorlds.Late {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements DoubleWorlds.Late {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements DoubleWorlds.Late {}

    @Nested
    class Composites extends CompositeContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupLifeContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class GroupEnds extends GroupEndContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class ClosedGroups extends ClosedGroupContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements DoubleWorlds.Late {}

    @Nested
    @Tag("thorough")
    class Callbacks extends CallbackContract implements DoubleWorlds.Late {}
}
