package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A table of what {@link CodecBenchmark} measures, in a minute: for each codec and size the least time of many calls, beside copying the values, in the same turn.
 *
 * <p>The time is the processor time of the thread, and the least of it, so that a machine that does other things as well tells little else; what these do to its
 * caches and its memory stays. The share is the bytes a second of the values, of those of the copy.
 */
public final class CodecTable {

    private static final int PARTS = 2;
    private static final long[] SIZES = {1 << 20, 64 << 20};
    private static final long BYTES_A_ROW = 4L << 30;
    private static final long LEAST_CALLS = 40;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CodecTable() {}

    /** Prints the table. */
    public static void main(String[] arguments) {
        List<Codec> codecs = List.of(new OneBit(), BlockQuantization.int8(), BlockQuantization.int4(), new TopK(0.01), new Threshold(2.5, Threshold.Adaptation.USUAL));
        for (long bytes : SIZES) {
            for (Codec codec : codecs) {
                print(codec, bytes);
            }
        }
    }

    private static void print(Codec codec, long bytes) {
        long count = bytes / Float.BYTES;
        long stride = codec.maxEncodedBytes(count / PARTS);
        long calls = Math.max(LEAST_CALLS, BYTES_A_ROW / bytes);
        try (Tensor values = gaussian(count, 1);
                Tensor before = gaussian(count, 2);
                Tensor after = Tensor.allocate(DType.FLOAT32, count);
                Tensor copy = Tensor.allocate(DType.FLOAT32, count);
                Tensor encoded = Tensor.allocate(DType.UINT8, PARTS * stride);
                Tensor encodedWithError = Tensor.allocate(DType.UINT8, PARTS * stride)) {
            long[] lengths = new long[PARTS];
            codec.encode(values, PARTS, encoded, lengths);
            Tensor[] parts = {encoded.slice(0, lengths[0]), encoded.slice(stride, lengths[1])};
            Tensor[] targets = {copy.slice(0, count / PARTS), copy.slice(count / PARTS, count / PARTS)};
            long memcpy = least(calls, () -> MemorySegment.copy(values.segment(), 0, copy.segment(), 0, bytes));
            System.out.printf("%-44s %9d bytes: memcpy %d us", codec.label(), bytes, memcpy / 1000);
            report("encode", memcpy, least(calls, () -> codec.encode(values, PARTS, encoded, lengths)));
            report("encodeWithError", memcpy,
                    least(calls, () -> codec.encodeWithError(values, before, after, PARTS, encodedWithError, new long[PARTS])));
            report("decode", memcpy, least(calls, () -> {
                codec.decode(parts[0], targets[0]);
                codec.decode(parts[1], targets[1]);
            }));
            report("decodeAndAdd", memcpy, least(calls, () -> {
                codec.decodeAndAdd(parts[0], 0.5, targets[0]);
                codec.decodeAndAdd(parts[1], 0.5, targets[1]);
            }));
            System.out.println();
        }
    }

    private static void report(String what, long memcpyNanos, long nanos) {
        System.out.printf(", %s %d us (%d %%)", what, nanos / 1000, 100 * memcpyNanos / nanos);
    }

    private static long least(long calls, Runnable work) {
        long least = Long.MAX_VALUE;
        for (long i = 0; i < calls; i++) {
            long begun = THREADS.getCurrentThreadCpuTime();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - begun);
        }
        return least;
    }

    private static Tensor gaussian(long count, long seed) {
        Tensor tensor = Tensor.allocate(DType.FLOAT32, count);
        MemorySegment memory = tensor.segment();
        SplittableRandom random = new SplittableRandom(seed);
        for (long i = 0; i < count; i++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        return tensor;
    }
}
