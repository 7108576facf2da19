package io.reactivecomm.device;

import io.reactivecomm.testkit.HookContract;
import io.reactivecomm.testkit.HookFaultContract;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.FakeHome;
import org.junit.jupiter.api.Nested;

/** Hooks on gradients that are on devices. */
class FakeHookTest {

    @Nested
    class Sums extends HookContract implements FakeWorlds {}

    /** Some gradients of each step are in the host's memory, others on one of two devices. */
    @Nested
    class Faults extends HookFaultContract implements FakeWorlds {

        @Override
        public TensorHome home() {
            return FakeHome.MIXED;
        }
    }
}
