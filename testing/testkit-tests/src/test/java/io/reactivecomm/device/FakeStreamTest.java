package io.reactivecomm.device;

import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.FakeHome;
import io.reactivecomm.testkit.stream.StreamContract;
import io.reactivecomm.testkit.stream.StreamDemandContract;
import io.reactivecomm.testkit.stream.StreamFaultContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Streams of tensors that are on a device. */
@Tag("repeated")
class FakeStreamTest {

    @Nested
    class Streams extends StreamContract implements FakeWorlds {}

    /** Some tensors of each stream are in the host's memory, others on one of two devices. */
    @Nested
    class Demand extends StreamDemandContract implements FakeWorlds {

        @Override
        public TensorHome home() {
            return FakeHome.MIXED;
        }
    }

    @Nested
    @Tag("thorough")
    class Faults extends StreamFaultContract implements FakeWorlds {}
}
