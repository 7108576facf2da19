package io.reactivecomm.rcomm.gpu;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import io.reactivecomm.nccl.cuda.CudaMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** One codec on some numbers, with error feedback, on the host or on a device: encoded in two parts, and decoded into a sum. */
final class CodecRun implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** Of the numbers, each encoded by itself. */
    static final int PARTS = 2;

    private static final double WEIGHT = 1.0 / 3;

    private final Codec codec;
    private final Function<Tensor, Tensor> home;
    private final AtomicReference<Handle> last;
    private final Tensor values;
    private final Tensor before;
    private final Tensor after;
    private final Tensor encoded;
    private final Tensor sum;
    private final long[] lengths = new long[PARTS];
    private final long part;

    private CodecRun(Codec codec, long count, Function<Tensor, Tensor> home, AtomicReference<Handle> last) {
        this.codec = codec;
        this.home = home;
        this.last = last;
        this.part = Math.ceilDiv(count, PARTS * Byte.SIZE) * Byte.SIZE;
        this.values = numbers(count, 1);
        this.before = numbers(PARTS * part, 2);
        this.after = home.apply(Tensor.allocate(DType.FLOAT32, PARTS * part));
        this.encoded = home.apply(Tensor.allocate(DType.UINT8, PARTS * codec.maxEncodedBytes(part)));
        this.sum = numbers(part, 3);
    }

    static CodecRun onHost(Codec codec, long count) {
        return new CodecRun(codec, count, each -> each, new AtomicReference<>(Handle.DONE));
    }

    static CodecRun onDevice(Codec codec, long count, CudaMemory memory, Device gpu) {
        AtomicReference<Handle> last = new AtomicReference<>(Handle.DONE);
        KernelQueue queue = launches ->
                last.updateAndGet(ignored -> memory.kernels().orElseThrow().launch(launches));
        Codec there = codec.on(queue, bytes -> memory.allocate(gpu, DType.UINT8, bytes))
                .orElseThrow();
        return new CodecRun(there, count, each -> moved(each, memory, gpu), last);
    }

    private static Tensor moved(Tensor ofHost, CudaMemory memory, Device gpu) {
        try (ofHost) {
            Tensor there = memory.allocate(gpu, ofHost.type(), ofHost.count());
            memory.move(List.of(Move.copy(ofHost, there))).completed().block(LIMIT);
            return there;
        }
    }

    /** No zeros, and no number twice in a row: both signs, of magnitudes up to one. */
    private Tensor numbers(long count, int seed) {
        Tensor numbers = Tensor.allocate(DType.FLOAT32, count);
        for (long i = 0; i < count; i++) {
            long mixed = (i + seed) * 0x9E37_79B9_7F4A_7C15L;
            numbers.segment().setAtIndex(JAVA_FLOAT, i, (mixed >> 40 | 1) * 0x1p-23f);
        }
        return home.apply(numbers);
    }

    Handle encode() {
        codec.encodeWithError(values, before, after, PARTS, encoded, lengths);
        return last.get();
    }

    /** Adds the second part to the sum. */
    Handle decode() {
        codec.decodeAndAdd(encoded.slice(codec.maxEncodedBytes(part), lengths[1]), WEIGHT, sum);
        return last.get();
    }

    void run() {
        encode().completed().block(LIMIT);
        decode().completed().block(LIMIT);
    }

    /**
     * Requires the same bytes and numbers.
     *
     * @param hasOwnScale whether the first eight bytes of a part are a scale that may differ in the last place, and all that is made of it as little
     */
    void requireSame(CodecRun host, boolean hasOwnScale) {
        byte[] own = encoded.toByteArray();
        byte[] expected = host.encoded.toByteArray();
        float tolerance = hasOwnScale ? requireScale(own, expected) : 0;
        requireSame("byte", own, expected);
        requireNear("error", after.toFloatArray(), host.after.toFloatArray(), tolerance);
        requireNear("sum", sum.toFloatArray(), host.sum.toFloatArray(), tolerance);
    }

    /** Makes the scales equal. {@return what the difference may make of a number} */
    private float requireScale(byte[] own, byte[] expected) {
        MemorySegment there = MemorySegment.ofArray(own);
        MemorySegment onHost = MemorySegment.ofArray(expected);
        float scale = (float) onHost.get(JAVA_DOUBLE_UNALIGNED, 0);
        float tolerance = Math.ulp(scale);
        for (int p = 0; p < PARTS; p++) {
            long at = p * codec.maxEncodedBytes(part);
            double found = there.get(JAVA_DOUBLE_UNALIGNED, at);
            if (!(Math.abs(found - scale) <= tolerance)) {
                throw wrong("scale", p, found, scale);
            }
            there.set(JAVA_DOUBLE_UNALIGNED, at, scale);
        }
        return 2 * tolerance;
    }

    private void requireSame(String what, byte[] own, byte[] expected) {
        long differs = MemorySegment.ofArray(own).mismatch(MemorySegment.ofArray(expected));
        if (differs >= 0) {
            throw wrong(what, differs, own[(int) differs], expected[(int) differs]);
        }
    }

    private void requireNear(String what, float[] own, float[] expected, float tolerance) {
        for (int i = 0; i < expected.length; i++) {
            if (!(Math.abs(own[i] - expected[i]) <= tolerance)) {
                throw wrong(what, i, own[i], expected[i]);
            }
        }
    }

    private IllegalStateException wrong(String what, long place, double found, double expected) {
        return new IllegalStateException("a codec's kernels and the host's codec differ: codec=" + codec.label() + ", "
                + what + "=" + place + ", found=" + found + ", expected=" + expected);
    }

    @Override
    public void close() {
        List.of(values, before, after, encoded, sum).forEach(Tensor::close);
    }
}
