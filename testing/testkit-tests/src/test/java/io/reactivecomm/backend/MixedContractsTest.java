package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.RowContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.CoalesceContract;
import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Host and devices in turn, with an engine each. */
@Tag("repeated")
class MixedContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    class Results extends CollectiveContract implements DoubleWorlds.StrictAndFake {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Rows extends RowContract implements DoubleWorlds.StrictAndFake {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Scopes extends CoalesceContract implements DoubleWorlds.StrictAndFake {}

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements DoubleWorlds.StrictAndFake {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.StrictAndFake {}
}
