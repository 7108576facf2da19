package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.BadTensorContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.collective.SupportsContract;
import io.reactivecomm.testkit.group.ClaimContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.SwitchContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The strict double, and links for what it leaves to them. Composites over it are in {@link StrictCompositeTest}. */
class StrictContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    @Tag("repeated")
    class Results extends CollectiveContract implements DoubleWorlds.Strict {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements DoubleWorlds.Strict {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("repeated")
    class Kinds extends SupportsContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("repeated")
    class BadTensors extends BadTensorContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("repeated")
    class Switches extends SwitchContract implements DoubleWorlds.Strict {}

    @Nested
    @Tag("repeated")
    class Claims extends ClaimContract implements DoubleWorlds.Strict {}
}
