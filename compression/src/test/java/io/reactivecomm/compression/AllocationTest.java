package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The objects that a call allocates, which do not depend on how much there is to encode: a few small ones, if the compiler makes any. */
class AllocationTest {

    private static final int MOST_BYTES = 8192;
    private static final int MOST_CALLS = 500;
    private static final int COUNT = 100_000;
    private static final int PARTS = 2;

    static Stream<Codec> codecs() {
        return CodecTest.codecs().stream();
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void calls_allocateNothingBySize(Codec codec) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long stride = codec.maxEncodedBytes(COUNT / PARTS);
        try (Tensor values = Numbers.tensor(DType.FLOAT32, gaussian());
                Tensor before = Numbers.tensor(DType.FLOAT32, gaussian());
                Tensor after = Tensor.allocate(DType.FLOAT32, COUNT);
                Tensor encoded = Tensor.allocate(DType.UINT8, PARTS * stride)) {
            long[] lengths = new long[PARTS];
            Tensor sum = after.slice(0, COUNT / PARTS);
            long least = Long.MAX_VALUE;
            // The first calls make strips and load classes, and vectors are objects until they are compiled.
            for (int times = 0; times < MOST_CALLS && least >= MOST_BYTES; times++) {
                long begun = threads.getCurrentThreadAllocatedBytes();
                codec.encodeWithError(values, before, after, PARTS, encoded, lengths);
                codec.encode(values, PARTS, encoded, lengths);
                long encodedBytes = threads.getCurrentThreadAllocatedBytes() - begun;
                Tensor part = encoded.slice(0, lengths[0]);
                begun = threads.getCurrentThreadAllocatedBytes();
                codec.decodeAndAdd(part, 0.5, sum);
                codec.decode(part, sum);
                least = Math.min(least, encodedBytes + threads.getCurrentThreadAllocatedBytes() - begun);
            }
            assertThat(least).as("bytes allocated").isLessThan(MOST_BYTES);
        }
    }

    private static double[] gaussian() {
        SplittableRandom random = new SplittableRandom(1);
        double[] numbers = new double[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }
}
