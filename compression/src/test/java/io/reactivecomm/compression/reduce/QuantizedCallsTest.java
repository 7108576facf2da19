package io.reactivecomm.compression.reduce;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.ConnectedWorlds;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.FakeHome;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Quantised reduce-scatters and all-gathers over all transports, of the host's tensors and of a device's. */
class QuantizedCallsTest {

    @Nested
    class Local extends QuantizedCallsContract {

        @Override
        public World open(int size) {
            return World.of(ReactiveComm.local(size));
        }
    }

    @Nested
    class OnADevice extends QuantizedCallsContract {

        @Override
        public World open(int size) {
            return World.of(ReactiveComm.local(size, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("cpu:links,fake:fake")));
        }

        @Override
        public TensorHome home() {
            return FakeHome.ONE;
        }
    }

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
