package io.reactivecomm.backend;

import io.reactivecomm.testkit.BadCallContract;
import io.reactivecomm.testkit.BadTensorContract;
import io.reactivecomm.testkit.CoalesceContract;
import io.reactivecomm.testkit.CollectiveContract;
import io.reactivecomm.testkit.CompositeContract;
import io.reactivecomm.testkit.DisagreementContract;
import io.reactivecomm.testkit.FaultContract;
import io.reactivecomm.testkit.GroupLifeContract;
import io.reactivecomm.testkit.RowContract;
import io.reactivecomm.testkit.ShapeMatrix;
import io.reactivecomm.testkit.SubscriptionContract;
import io.reactivecomm.testkit.SupportsContract;
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
