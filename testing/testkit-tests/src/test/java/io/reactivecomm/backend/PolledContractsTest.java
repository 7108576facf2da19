package io.reactivecomm.backend;

import io.reactivecomm.testkit.collective.CollectiveContract;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.testkit.collective.SubscriptionContract;
import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** An ordered engine whose ends are found by looks on the rank's loop. */
@Tag("repeated")
class PolledContractsTest {

    @AfterAll
    static void noDoubleIsLeft() {
        DoubleWorlds.requireLeft();
    }

    @Nested
    class Results extends CollectiveContract implements DoubleWorlds.Polled {

        @Override
        protected ShapeMatrix matrix() {
            return ShapeMatrix.few();
        }
    }

    @Nested
    @Tag("thorough")
    class Composites extends CompositeContract implements DoubleWorlds.Polled {}

    @Nested
    @Tag("thorough")
    class Subscriptions extends SubscriptionContract implements DoubleWorlds.Polled {}
}
