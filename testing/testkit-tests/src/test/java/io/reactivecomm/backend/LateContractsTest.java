package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.CallbackContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.ClosedGroupContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.GroupEndContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
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
