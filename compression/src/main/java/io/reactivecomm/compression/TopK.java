package io.reactivecomm.compression;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.device.KernelQueue;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * The k numbers of largest magnitude of each part, with their places; all others decode as zero.
 *
 * <p>Of n numbers {@code k = max(1, rint(density * n))} are kept, exactly so many: of equal magnitudes those of lower index. A pair is an
 * index in the part and a number, and pairs stand in the order of indices:
 *
 * <pre>
 *   byte   0               4               8
 *          +---------------+---------------+---------------+---
 *          | index, INT32  | x, FLOAT32    | index, INT32  | …      little endian
 *          +---------------+---------------+---------------+---
 * </pre>
 *
 * <p><b>Special values.</b> A NaN is larger than an infinity, and equal to any other NaN. Zeros of either sign are equal, and are sent if
 * there are not k other numbers; -0 stays -0. Subnormals are numbers as others. FLOAT64 is rounded to FLOAT32 on the way, and infinite
 * beyond its range; error feedback keeps what was rounded off. One element is sent.
 *
 * <p><b>On a device.</b> The bits are the same. Pairs whose index is beyond the part, or not above the one before, which no encoder writes, are left
 * out, and element 0 becomes a NaN.
 *
 * <p><b>Cost.</b> 8 bytes for each that is kept. Encoding takes one pass over the values for each digit of a magnitude until the k-th is
 * found, three at most for FLOAT32, six for FLOAT64, and one more. Decoding writes zeros in one pass, decoding into a sum touches only what
 * was kept.
 *
 * <p><b>Source.</b> Lin et al., <em>Deep Gradient Compression</em>, 2018; the selection is a radix select from the highest digit.
 *
 * @param density the share of numbers that is kept, above 0 and at most 1
 */
public record TopK(double density) implements Codec {

    private static final int PAIR_BYTES = Integer.BYTES + Float.BYTES;

    /** Indices are positive INT32s. */
    private static final long MOST_IN_PART = 1L << 31;

    public TopK {
        if (!(density > 0 && density <= 1)) {
            throw new InvalidCallException(
                    "no such density: density=" + density + "; keep a share above 0 and at most 1");
        }
    }

    @Override
    public String label() {
        return "top-k(density=" + density + ')';
    }

    @Override
    public Fidelity fidelity() {
        return Fidelity.LOSSY;
    }

    @Override
    public double errorBound() {
        return Double.POSITIVE_INFINITY;
    }

    @Override
    public double bitsPerElement() {
        return density * PAIR_BYTES * Byte.SIZE;
    }

    /** {@return how many of so many numbers are kept} */
    public long kept(long count) {
        return count == 0 ? 0 : Math.max(1, (long) Math.rint(density * count));
    }

    @Override
    public long maxEncodedBytes(long count) {
        if (count > MOST_IN_PART) {
            throw new InvalidCallException("too many elements for an index of INT32: codec=" + label() + ", count="
                    + count + ", most=" + MOST_IN_PART + "; cut the tensor into more parts");
        }
        return kept(count) * PAIR_BYTES;
    }

    @Override
    public boolean isFixedLength() {
        return true;
    }

    @Override
    public void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encoding(this, values, parts, encoded, lengths);
        Source source = new Source(values);
        MemorySegment bytes = HostMemory.of(encoded, "encoded");
        long partCount = values.count() / parts;
        long length = maxEncodedBytes(partCount);
        for (int p = 0; p < parts; p++) {
            if (partCount > 0) {
                encodePart(source, p * partCount, partCount, bytes, p * length);
            }
            lengths[p] = length;
        }
    }

    private void encodePart(Source source, long first, long count, MemorySegment encoded, long encodedAt) {
        Strip strip = Strip.of(source.type());
        MagnitudeSelection selection = MagnitudeSelection.ofThread();
        selection.find(source, strip, first, count, kept(count));
        long to = encodedAt;
        for (long at = 0; at < count; at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            int chosen = selection.choose(strip, n);
            for (int i = 0; i < chosen; i++) {
                int place = selection.chosen(i);
                LittleEndian.putInt(encoded, to, (int) (at + place));
                LittleEndian.putFloat(encoded, to + Integer.BYTES, strip.single(place));
                to += PAIR_BYTES;
            }
        }
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        MemorySegment part = checked(encoded, "values", values);
        MemorySegment target = HostMemory.of(values, "values");
        target.fill((byte) 0);
        DType type = values.type();
        Strip strip = Strip.of(type);
        for (long at = 0; at < encoded.count(); at += PAIR_BYTES) {
            strip.setOperand(0, LittleEndian.floatAt(part, at + Integer.BYTES), 1);
            strip.writeOperand(type, target, index(part, at), 1);
        }
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        MemorySegment part = checked(encoded, "sum", sum);
        MemorySegment target = HostMemory.of(sum, "sum");
        DType type = sum.type();
        Strip strip = Strip.of(type);
        for (long at = 0; at < encoded.count(); at += PAIR_BYTES) {
            long index = index(part, at);
            strip.setOperand(0, LittleEndian.floatAt(part, at + Integer.BYTES), weight);
            strip.read(type, target, index, 1);
            strip.add(1);
            strip.write(type, target, index, 1);
        }
    }

    private static long index(MemorySegment part, long at) {
        return Integer.toUnsignedLong(LittleEndian.intAt(part, at));
    }

    private MemorySegment checked(Tensor encoded, String name, Tensor numbers) {
        CodecChecks.decoding(this, encoded, name, numbers);
        MemorySegment part = HostMemory.of(encoded, "encoded");
        long previous = -1;
        for (long at = 0; at < encoded.count(); at += PAIR_BYTES) {
            long index = index(part, at);
            if (index <= previous || index >= numbers.count()) {
                throw DecodingException.at(
                        label(), "index=" + index + ", previous=" + previous + ", count=" + numbers.count(), at);
            }
            previous = index;
        }
        return part;
    }

    @Override
    public Optional<Codec> on(KernelQueue queue, LongFunction<Tensor> scratch) {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(scratch, "scratch");
        return Optional.of(new DeviceTopK(this, queue, scratch));
    }
}
