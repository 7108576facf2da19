package io.reactivecomm.device;

import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.FakeHome;
import io.reactivecomm.testkit.train.BucketContract;
import io.reactivecomm.testkit.train.BucketDemandContract;
import io.reactivecomm.testkit.train.BucketFaultContract;
import io.reactivecomm.testkit.train.BucketReducerContract;
import io.reactivecomm.testkit.train.BucketRowsContract;
import io.reactivecomm.testkit.train.BucketStepContract;
import io.reactivecomm.testkit.train.PresenceContract;
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
