package io.reactivecomm.compression.reduce;

import io.reactivecomm.testkit.ConnectedWorlds;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Quantised reduce-scatters and all-gathers over all transports, of the host's tensors and of a device's. */
class QuantizedCallsTest {

    @Nested
    class Local extends QuantizedCallsContract implements LocalWorlds {}

    @Nested
    class OnADevice extends QuantizedCallsContract implements DeviceWorlds {}

    @Nested
    class Tcp extends QuantizedCallsContract implements ConnectedWorlds {

        @Override
        public String transport() {
            return "tcp";
        }
    }

    @Nested
    @Tag("thorough")
    class SharedMemory extends QuantizedCallsContract implements ConnectedWorlds {

        @Override
        public String transport() {
            return "shm";
        }
    }
}
