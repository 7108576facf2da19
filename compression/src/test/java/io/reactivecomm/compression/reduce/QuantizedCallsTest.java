package io.reactivecomm.compression.reduce;

import io.reactivecomm.compression.device.CudaWorlds;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Quantised reduce-scatters and all-gathers over all transports, of the host's tensors and of a device's. */
class QuantizedCallsTest {

    @Nested
    class Local extends QuantizedMatrixContract implements LocalWorlds {}

    @Nested
    @Tag("repeated")
    @Tag("thorough")
    class OnADevice extends QuantizedCallsContract implements DeviceWorlds {}

    @Nested
    @Tag("repeated")
    class Tcp extends QuantizedCallsContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class AllOnADevice extends QuantizedMatrixContract implements DeviceWorlds {}

    @Nested
    @Tag("thorough")
    class OfCuda extends QuantizedCallsContract implements CudaWorlds {}

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class AllOverTcp extends QuantizedMatrixContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class SharedMemory extends QuantizedMatrixContract implements ShmWorlds {}
}
