package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.reactivecomm.DType;
import org.junit.jupiter.api.Test;

/** The floors that docs/compression.md has in its table. */
class DeviceTrafficTest {

    private static void assertTraffic(
            Codec codec, DType type, double encode, double encodeWithError, double decode, double decodeAndAdd) {
        DeviceTraffic traffic = DeviceTraffic.of(codec, type).orElseThrow();
        assertThat(traffic.encode()).isCloseTo(encode, within(0.01));
        assertThat(traffic.encodeWithError()).isCloseTo(encodeWithError, within(0.01));
        assertThat(traffic.decode()).isCloseTo(decode, within(0.01));
        assertThat(traffic.decodeAndAdd()).isCloseTo(decodeAndAdd, within(0.01));
    }

    @Test
    void floors_areThoseOfTheTable() {
        assertTraffic(new OneBit(), DType.FLOAT32, 8.13, 20.13, 4.13, 8.13);
        assertTraffic(BlockQuantization.int8(), DType.FLOAT32, 5, 13, 5, 9);
        assertTraffic(BlockQuantization.int4(), DType.FLOAT32, 4.53, 12.53, 4.53, 8.53);
        assertTraffic(new TopK(0.01), DType.FLOAT32, 20.08, 28.4, 4.4, 0.72);
        assertTraffic(new OneBit(), DType.BFLOAT16, 4.13, 16.13, 2.13, 4.13);
    }

    @Test
    void codecsAndTypesWithoutKernels_haveNone() {
        assertThat(DeviceTraffic.of(Threshold.usual(), DType.FLOAT32)).isEmpty();
        assertThat(DeviceTraffic.of(new OneBit(), DType.FLOAT64)).isEmpty();
        assertThat(DeviceTraffic.of(new OneBit(), DType.INT32)).isEmpty();
    }
}
