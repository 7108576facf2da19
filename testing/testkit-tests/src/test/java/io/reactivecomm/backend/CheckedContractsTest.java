package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A fake device whose calls come in one order. */
@Tag("repeated")
class CheckedContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    @Tag("thorough")
    class Results extends CollectiveContract implements DoubleWorlds.Checked {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements DoubleWorlds.Checked {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    class Scopes extends CoalesceContract implements DoubleWorlds.Checked {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements DoubleWorlds.Checked {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements DoubleWorlds.Checked {}

    @Nested
    @Tag("thorough")
    class Faults extends FaultContract implements DoubleWorlds.Checked {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.Checked {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupLifeContract implements DoubleWorlds.Checked {}
}
