package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.compression.device.CudaWorlds;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Steps with a NaN or an infinity, where elements are encoded on the host and where on a device. */
class NonFiniteTest {

    @Nested
    class Local extends NonFiniteContract implements LocalWorlds {}

    /** Kernels encode; a threshold, which has none, goes by the host. */
    @Nested
    @Tag("repeated")
    @Tag("thorough")
    class OnDevice extends NonFiniteContract implements CudaWorlds {

        @Override
        List<DType> types() {
            return List.of(DType.FLOAT32, DType.FLOAT16);
        }
    }

    @Nested
    @Tag("thorough")
    @Tag("repeated")
    class Tcp extends NonFiniteContract implements TcpWorlds {}
}
