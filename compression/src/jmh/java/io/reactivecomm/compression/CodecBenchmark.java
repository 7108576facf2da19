package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time of a codec's work on the values of one rank, cut into two parts, beside that of copying them. Bytes a second are those of the
 * values: the share of memcpy's is the quotient of the times, upside down. {@code codecs.py} has the same arithmetic in NumPy.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector"})
public class CodecBenchmark {

    private static final int PARTS = 2;

    @Param({"one-bit", "int8", "int4", "top-k", "threshold"})
    public String codec = "one-bit";

    @Param({"FLOAT32"})
    public DType type = DType.FLOAT32;

    @Param({"1048576", "67108864"})
    public long bytes;

    private Codec made = new OneBit();
    private Tensor values;
    private Tensor copy;
    private Tensor before;
    private Tensor after;
    private Tensor encoded;
    private final Tensor[] encodedParts = new Tensor[PARTS];
    private final Tensor[] sums = new Tensor[PARTS];
    private final long[] lengths = new long[PARTS];

    @Setup
    public void fill() {
        made = switch (codec) {
            case "one-bit" -> new OneBit();
            case "int8" -> BlockQuantization.int8();
            case "int4" -> BlockQuantization.int4();
            case "top-k" -> new TopK(0.01);
            case "threshold" -> new Threshold(2.5, Threshold.Adaptation.USUAL);
            default -> throw new IllegalArgumentException("unknown codec: codec=" + codec);
        };
        long count = bytes / type.byteSize();
        values = Tensor.allocate(type, count);
        copy = Tensor.allocate(type, count);
        before = Tensor.allocate(type.accumulator(), count);
        after = Tensor.allocate(type.accumulator(), count);
        SplittableRandom random = new SplittableRandom(1);
        for (long i = 0; i < count && type == DType.FLOAT32; i++) {
            values.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
            before.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        encoded = Tensor.allocate(DType.UINT8, PARTS * made.maxEncodedBytes(count / PARTS));
        made.encode(values, PARTS, encoded, lengths);
        for (int p = 0; p < PARTS; p++) {
            encodedParts[p] = encoded.slice(p * made.maxEncodedBytes(count / PARTS), lengths[p]);
            sums[p] = copy.slice(p * (count / PARTS), count / PARTS);
        }
    }

    @TearDown
    public void free() {
        values.close();
        copy.close();
        before.close();
        after.close();
        encoded.close();
    }

    @Benchmark
    public void memcpy() {
        MemorySegment.copy(values.segment(), 0, copy.segment(), 0, bytes);
    }

    @Benchmark
    public void encode() {
        made.encode(values, PARTS, encoded, lengths);
    }

    @Benchmark
    public void encodeWithError() {
        made.encodeWithError(values, before, after, PARTS, encoded, lengths);
    }

    @Benchmark
    public void decode() {
        for (int p = 0; p < PARTS; p++) {
            made.decode(encodedParts[p], sums[p]);
        }
    }

    @Benchmark
    public void decodeAndAdd() {
        for (int p = 0; p < PARTS; p++) {
            made.decodeAndAdd(encodedParts[p], 0.5, sums[p]);
        }
    }
}
