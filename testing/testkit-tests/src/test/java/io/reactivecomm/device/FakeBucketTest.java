package io.reactivecomm.device;

import io.reactivecomm.testkit.BucketContract;
import io.reactivecomm.testkit.BucketDemandContract;
import io.reactivecomm.testkit.BucketFaultContract;
import io.reactivecomm.testkit.BucketReducerContract;
import io.reactivecomm.testkit.BucketRowsContract;
import io.reactivecomm.testkit.BucketStepContract;
import io.reactivecomm.testkit.PresenceContract;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.FakeHome;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Gradient buckets in the memory of a device. */
@Tag("repeated")
class FakeBucketTest {

    @Nested
    class Results extends BucketContract implements FakeWorlds {}

    /** Some gradients of each step are in the host's memory, others on one of two devices. */
    @Nested
    class MixedSteps extends BucketStepContract implements FakeWorlds {

        @Override
        public TensorHome home() {
            return FakeHome.MIXED;
        }
    }

    @Nested
    class Demand extends BucketDemandContract implements FakeWorlds {}

    @Nested
    class Faults extends BucketFaultContract implements FakeWorlds {}

    @Nested
    class Reducers extends BucketReducerContract implements FakeWorlds {}

    @Nested
    class Rows extends BucketRowsContract implements FakeWorlds {}

    @Nested
    class Presence extends PresenceContract implements FakeWorlds {}
}
