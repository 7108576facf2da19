package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.BadTensorContract;
import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.collective.SupportsContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import io.reactivecomm.testkit.group.GroupLifeContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A fake device. */
@Tag("repeated")
class FakeContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    class Results extends CollectiveContract implements DoubleWorlds.Fake {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements DoubleWorlds.Fake {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements DoubleWorlds.Fake {}

    @Nested
    class Faults extends FaultContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class Groups extends GroupLifeContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class Kinds extends SupportsContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class BadTensors extends BadTensorContract implements DoubleWorlds.Fake {}

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements DoubleWorlds.Fake {}
}
