package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/**
 * The inputs that a decoder is given, each by its seed, and what it makes of them.
 *
 * <p>An input is noise, or an encoding of some numbers of which a few bytes or words are changed; every third is cut or too long. {@link #AT_ONCE} seeds in a row
 * share {@link #ENCODINGS} encodings, which are made of the number of the row, so that a seed tells its input. Memory and tensors are made once for all: what takes
 * the time are the decoders, and the traces of their exceptions.
 */
final class HostileBytes implements AutoCloseable {

    /** Seeds that share their encodings. */
    static final int AT_ONCE = 1 << 16;

    private static final int ENCODINGS = 512;

    /** Elements of a target: three times as many as loops on vectors take at least. */
    private static final int MOST = 200;

    private static final int FEW = 40;

    /** Bytes of guards before and behind the target, and before the input. */
    private static final int GUARD = 16;

    private static final byte UNTOUCHED = 0x5A;

    /** Lengths, indices and numbers that overflow, have the wrong sign, or are a little too large. */
    private static final long[] WORDS = {
        0,
        1,
        -1,
        MOST,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        1L << 62,
        0x7FF0_0000_0000_0000L,
        0x7FF8_0000_0000_0000L,
        0x7FF0_0000_0000_0001L,
        Double.doubleToLongBits(-1),
        Double.doubleToLongBits(-0.0),
        Double.doubleToLongBits(Double.MAX_VALUE),
        Double.doubleToLongBits(1e-310)
    };

    /** What a trace and a message take, several times, and less than an array whose size an input names. */
    private static final long MOST_ALLOCATED = 16 << 10;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private record Encoding(int count, byte[] bytes) {}

    /** A target of each count, in one memory between guards, and what that holds before a call. */
    private record Targets(Tensor memory, Tensor[] byCount, MemorySegment untouched) {

        static Targets of(DType type) {
            Tensor memory = Tensor.allocate(type, MOST + 2L * GUARD);
            memory.segment().fill(UNTOUCHED);
            Tensor[] byCount = new Tensor[MOST + 1];
            for (int count = 0; count <= MOST; count++) {
                byCount[count] = memory.slice(GUARD, count);
            }
            return new Targets(
                    memory, byCount, MemorySegment.ofArray(memory.segment().toArray(ValueLayout.JAVA_BYTE)));
        }

        boolean isUntouchedFrom(long from, long to) {
            return MemorySegment.mismatch(memory.segment(), from, to, untouched, from, to) < 0;
        }
    }

    private final Codec codec;
    private final String label;
    private final Targets[] targets = CodecTest.TYPES.stream().map(Targets::of).toArray(Targets[]::new);
    private final TestMemory numbers = new TestMemory();
    private final Tensor bytes;
    private final MemorySegment memory;
    private final Encoding[] encodings = new Encoding[ENCODINGS];
    private final MemorySegment found = MemorySegment.ofArray(new byte[(MOST + 2 * GUARD) * Double.BYTES]);
    private SplittableRandom random = new SplittableRandom(0);

    HostileBytes(Codec codec) {
        this.codec = codec;
        label = codec.label();
        bytes = Tensor.allocate(DType.UINT8, codec.maxEncodedBytes(MOST) + 4 * FEW);
        memory = bytes.segment();
    }

    @Override
    public void close() {
        for (Targets ofType : targets) {
            ofType.memory.close();
        }
        bytes.close();
    }

    /** Gives the decoder the first so many inputs of a row, and returns how many it refuses. */
    int refused(int row, int inputs) {
        makeEncodings(new SplittableRandom(row));
        int refused = 0;
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < inputs; i++) {
            int seed = row * AT_ONCE + i;
            random = new SplittableRandom(seed);
            if (isRefused(seed)) {
                refused++;
            }
        }
        allocated = THREADS.getCurrentThreadAllocatedBytes() - allocated;
        assertThat(allocated / inputs)
                .as("bytes allocated for an input, row=%d", row)
                .isLessThan(MOST_ALLOCATED);
        return refused;
    }

    private void makeEncodings(SplittableRandom random) {
        long[] lengths = new long[1];
        for (int i = 0; i < ENCODINGS; i++) {
            int count = count(random);
            numbers.reuse();
            codec.encode(
                    numbers.tensor(DType.FLOAT32, Numbers.random(random, DType.FLOAT32, count)), 1, bytes, lengths);
            encodings[i] = new Encoding(count, memory.asSlice(0, lengths[0]).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** Often what loops on vectors take whole, and then what they might read too much lies beyond the part. */
    private static int count(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextInt(MOST + 1);
            case 1 -> FloatVectors.GRAIN * (1 + random.nextInt(MOST / FloatVectors.GRAIN));
            default -> random.nextInt(FEW + 1);
        };
    }

    private boolean isRefused(int seed) {
        int at = random.nextInt(GUARD);
        boolean isNoise = random.nextBoolean();
        Encoding encoding = encodings[random.nextInt(ENCODINGS)];
        int count = isNoise || random.nextInt(8) == 0 ? count(random) : encoding.count;
        long length = isNoise ? codec.maxEncodedBytes(count) : encoding.bytes.length;
        if (isNoise) {
            makeNoise(at, at + length);
        } else {
            MemorySegment.copy(encoding.bytes, 0, memory, ValueLayout.JAVA_BYTE, at, (int) length);
            change(at, length);
        }
        if (random.nextInt(3) == 0) {
            // Too many bytes end in what inputs before have left.
            length = random.nextLong(codec.maxEncodedBytes(count) + FEW);
        }
        Tensor part = bytes.slice(at, length);
        Targets ofType = targets[random.nextInt(targets.length)];
        boolean adds = random.nextBoolean();
        boolean isRefused = isRefused(part, ofType, count, adds, seed);
        if (random.nextInt(8) == 0) {
            again(part, at, ofType, count, adds, isRefused, seed);
        }
        ofType.memory.segment().copyFrom(ofType.untouched);
        return isRefused;
    }

    private void makeNoise(long from, long to) {
        for (long at = from; at < to; at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    private void change(long from, long length) {
        for (int changes = random.nextInt(3); changes > 0 && length > 0; changes--) {
            long at = random.nextLong(length);
            long word = WORDS[random.nextInt(WORDS.length)];
            switch (random.nextInt(3)) {
                case 0 -> memory.set(ValueLayout.JAVA_BYTE, from + at, (byte) random.nextInt());
                case 1 ->
                    memory.set(ValueLayout.JAVA_INT_UNALIGNED, from + at / Integer.BYTES * Integer.BYTES, (int) word);
                default -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, from + at / Long.BYTES * Long.BYTES, word);
            }
        }
    }

    private boolean isRefused(Tensor part, Targets ofType, int count, boolean adds, int seed) {
        boolean isRefused = false;
        try {
            if (adds) {
                codec.decodeAndAdd(part, 1, ofType.byCount[count]);
            } else {
                codec.decode(part, ofType.byCount[count]);
            }
            codec.after(part);
        } catch (DecodingException e) {
            isRefused = true;
            if (!e.getMessage().contains(label) || !e.getMessage().contains("byteOffset=")) {
                assertThat(e).as("seed=%d", seed).hasMessageContaining(label).hasMessageContaining("byteOffset=");
            }
        }
        long size = ofType.memory.type().byteSize();
        long first = GUARD * size;
        long end = isRefused ? first : first + count * size;
        if (!ofType.isUntouchedFrom(0, first) || !ofType.isUntouchedFrom(end, ofType.untouched.byteSize())) {
            throw new AssertionError("memory beside the target is written: seed=" + seed + ", count=" + count
                    + ", isRefused=" + isRefused);
        }
        return isRefused;
    }

    /** Decodes once more with other bytes around the part, which nothing may depend on. */
    private void again(Tensor part, long at, Targets ofType, int count, boolean adds, boolean wasRefused, int seed) {
        MemorySegment target = ofType.memory.segment();
        MemorySegment.copy(target, 0, found, 0, target.byteSize());
        target.copyFrom(ofType.untouched);
        invert(0, at);
        invert(at + part.count(), memory.byteSize());
        boolean isRefused = isRefused(part, ofType, count, adds, seed);
        if (isRefused != wasRefused
                || MemorySegment.mismatch(target, 0, target.byteSize(), found, 0, target.byteSize()) >= 0) {
            throw new AssertionError(
                    "bytes beside the part are read: seed=" + seed + ", count=" + count + ", bytes=" + part.count());
        }
    }

    private void invert(long from, long to) {
        for (long at = from; at < to; at++) {
            memory.set(ValueLayout.JAVA_BYTE, at, (byte) ~memory.get(ValueLayout.JAVA_BYTE, at));
        }
    }
}
