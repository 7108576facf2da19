package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.device.KernelQueue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Symmetric quantisation of blocks to 8 or 4 bits.
 *
 * <p>With L = 127 or 7 levels and the largest magnitude M of a block, a number x becomes {@code q = rint(x * (L / M))}, ties to even, from -L
 * to L. It decodes as {@code (q * (1 / L)) * M}. The error is at most half a step of M / L, also at both ends of a block. All arithmetic is that of the
 * accumulator; where M is below 2^-64 (FLOAT64: 2^-512), both x and M are first multiplied by 2^64 (2^512), which is exact
 * and keeps the quotient from overflow. Blocks begin anew with each part, and the last of a part may be shorter.
 *
 * <pre>
 *   byte   0               8
 *          +---------------+----------------------+---------------+---
 *          | M, FLOAT64    | q of the block       | M, FLOAT64    | …      little endian; a q is a byte or {@linkplain HalfBytes half a byte}
 *          +---------------+----------------------+---------------+---
 * </pre>
 *
 * <p><b>Special values.</b> A block that has a NaN or an infinity has a NaN for M and decodes as NaN throughout, so that an overflow is
 * seen by all. Zeros of either sign, and numbers that are small against M, decode as +0. The number of largest magnitude decodes as itself, and so does a
 * single element. Subnormal numbers are rounded to a multiple of the smallest one, which adds up to half of it to the error.
 * A q of -L - 1, which no encoder writes, is not refused and decodes by the same formula.
 *
 * <p><b>On a device.</b> The bits are the same. A block whose M is negative or infinite, which no encoder writes, decodes as NaN throughout.
 *
 * <p><b>Cost.</b> 8 bytes a block, and 8 or 4 bits an element. Encoding and decoding take one pass over the values each, encoding with
 * error one as well.
 *
 * <p><b>Source.</b> Wang et al., <em>ZeRO++</em>, 2023, section 3; DeepSpeed's symmetric quantisation. DeepSpeed has one more level on the
 * negative side and clamps the positive side, which loses up to a whole step there; the two encodings are not exchanged.
 *
 * @param bits 8 or 4
 * @param block the elements of a block, from 1 to {@link #MOST_IN_BLOCK}
 */
public record BlockQuantization(int bits, int block) implements Codec {

    /** The elements of a block, at most: those of a strip, which is quantised in the first cache. */
    public static final int MOST_IN_BLOCK = Strip.LENGTH;

    /** The scales are 0.4 % of an encoding: a block as large as can be, since bytes are fine enough for it. */
    public static final int INT8_BLOCK = MOST_IN_BLOCK;

    /** The scales are 6 % of an encoding: 16 levels want fewer numbers that one large one makes small. */
    public static final int INT4_BLOCK = 256;

    static final int BYTE_LEVELS = 127;

    static final int HALF_BYTE_LEVELS = 7;
    private static final int HEADER_BYTES = Double.BYTES;

    /** In blocks of one element each takes nine bytes. */
    private static final long MOST_IN_PART = Long.MAX_VALUE / 16;

    /** The rounding of the quotient, of the product and of the decoded number, of which the coarsest arithmetic is float. */
    private static final double ROUNDING = 0x1p-21;

    public BlockQuantization {
        if (bits != 8 && bits != 4 || block < 1 || block > MOST_IN_BLOCK) {
            throw new InvalidCallException("no such quantisation: bits=" + bits + ", block=" + block
                    + "; take 8 or 4 bits, and blocks of 1 to " + MOST_IN_BLOCK + " elements");
        }
    }

    /** {@return quantisation to bytes, in blocks of {@link #INT8_BLOCK}} */
    public static BlockQuantization int8() {
        return new BlockQuantization(8, INT8_BLOCK);
    }

    /** {@return quantisation to half bytes, in blocks of {@link #INT4_BLOCK}} */
    public static BlockQuantization int4() {
        return new BlockQuantization(4, INT4_BLOCK);
    }

    @Override
    public String label() {
        return "int" + bits + "(block=" + block + ')';
    }

    @Override
    public Fidelity fidelity() {
        return Fidelity.BOUNDED;
    }

    @Override
    public double errorBound() {
        return 0.5 / levels() + ROUNDING;
    }

    @Override
    public double bitsPerElement() {
        return (double) Byte.SIZE * blockBytes(block) / block;
    }

    @Override
    public long maxEncodedBytes(long count) {
        if (count > MOST_IN_PART) {
            throw new InvalidCallException("too many elements for any memory: codec=" + label() + ", count=" + count
                    + ", most=" + MOST_IN_PART + "; cut the tensor into more parts");
        }
        int rest = (int) (count % block);
        return count / block * blockBytes(block) + (rest == 0 ? 0 : blockBytes(rest));
    }

    @Override
    public boolean isFixedLength() {
        return true;
    }

    int levels() {
        return bits == 8 ? BYTE_LEVELS : HALF_BYTE_LEVELS;
    }

    /** {@return the bytes of a block of n elements} */
    int blockBytes(int n) {
        return HEADER_BYTES + payloadBytes(n);
    }

    private int payloadBytes(int n) {
        return bits == 8 ? n : HalfBytes.bytes(n);
    }

    /** {@return how many elements a strip takes: whole blocks} */
    private int stripCount() {
        return MOST_IN_BLOCK / block * block;
    }

    @Override
    public void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encoding(this, values, parts, encoded, lengths);
        encode(new Source(values), null, parts, HostMemory.of(encoded, "encoded"), lengths);
    }

    @Override
    public void encodeWithError(Tensor values, Tensor before, Tensor after, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encodingWithError(this, values, before, after, parts, encoded, lengths);
        encode(
                new Source(values, before),
                HostMemory.of(after, "after"),
                parts,
                HostMemory.of(encoded, "encoded"),
                lengths);
    }

    private void encode(
            Source source, @Nullable MemorySegment after, int parts, MemorySegment encoded, long[] lengths) {
        Strip strip = Strip.of(source.type());
        long partCount = source.count() / parts;
        long length = maxEncodedBytes(partCount);
        for (int p = 0; p < parts; p++) {
            encodePart(source, strip, p * partCount, partCount, after, encoded, p * length);
            lengths[p] = length;
        }
    }

    private void encodePart(
            Source source,
            Strip strip,
            long first,
            long count,
            @Nullable MemorySegment after,
            MemorySegment encoded,
            long encodedAt) {
        long done = BlockLoops.encode(this, source, strip, first, count, after, encoded, encodedAt);
        encodeFrom(done, source, strip, first, count, after, encoded, encodedAt);
    }

    /** Encodes the rest of a part in strips, from a number on that begins a block. */
    void encodeFrom(
            long done,
            Source source,
            Strip strip,
            long first,
            long count,
            @Nullable MemorySegment after,
            MemorySegment encoded,
            long encodedAt) {
        DType errorType = source.type().accumulator();
        int stripCount = stripCount();
        long to = encodedAt + done / block * blockBytes(block);
        for (long at = done; at < count; at += stripCount) {
            int n = (int) Math.min(stripCount, count - at);
            source.load(strip, first + at, n);
            to = encodeStrip(strip, n, after != null, encoded, to);
            if (after != null) {
                strip.subtract(n);
                strip.write(errorType, after, first + at, n);
            }
        }
    }

    /** Encodes the strip's numbers, decodes them into its operand if that is wanted, and returns where the next block begins. */
    private long encodeStrip(Strip strip, int count, boolean decodes, MemorySegment encoded, long encodedAt) {
        long to = encodedAt;
        for (int from = 0; from < count; from += block) {
            int n = Math.min(block, count - from);
            double largest = strip.largestMagnitude(from, n);
            // A NaN fails the comparison, too.
            if (largest > 0) {
                strip.quantize(from, n, largest, levels());
            } else {
                Arrays.fill(strip.bytes, 0, payloadBytes(n), (byte) 0);
            }
            LittleEndian.putDouble(encoded, to, largest);
            strip.writeBytes(encoded, to + HEADER_BYTES, payloadBytes(n));
            if (decodes) {
                strip.dequantize(from, n, largest, 1, levels());
            }
            to += blockBytes(n);
        }
        return to;
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        decode(
                checked(encoded, "values", values),
                1,
                false,
                values.type(),
                HostMemory.of(values, "values"),
                values.count());
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        decode(checked(encoded, "sum", sum), weight, true, sum.type(), HostMemory.of(sum, "sum"), sum.count());
    }

    private void decode(MemorySegment part, double weight, boolean adds, DType type, MemorySegment target, long count) {
        Strip strip = Strip.of(type);
        long done = BlockLoops.decode(this, part, weight, adds, type, target, count);
        decodeFrom(done, part, weight, adds, strip, type, target, count);
    }

    /** Decodes the rest of a part in strips, from a number on that begins a block. */
    private void decodeFrom(
            long done,
            MemorySegment part,
            double weight,
            boolean adds,
            Strip strip,
            DType type,
            MemorySegment target,
            long count) {
        int stripCount = stripCount();
        for (long at = done; at < count; at += stripCount) {
            int n = (int) Math.min(stripCount, count - at);
            decodeStrip(strip, n, weight, part, at);
            if (adds) {
                strip.read(type, target, at, n);
                strip.add(n);
                strip.write(type, target, at, n);
            } else {
                strip.writeOperand(type, target, at, n);
            }
        }
    }

    private void decodeStrip(Strip strip, int count, double weight, MemorySegment part, long first) {
        long at = first / block * blockBytes(block);
        for (int from = 0; from < count; from += block) {
            int n = Math.min(block, count - from);
            strip.readBytes(part, at + HEADER_BYTES, payloadBytes(n));
            strip.dequantize(from, n, LittleEndian.doubleAt(part, at), weight, levels());
            at += blockBytes(n);
        }
    }

    private MemorySegment checked(Tensor encoded, String name, Tensor numbers) {
        CodecChecks.decoding(this, encoded, name, numbers);
        MemorySegment part = HostMemory.of(encoded, "encoded");
        long bytes = encoded.count();
        for (long at = 0; at < bytes; at += blockBytes(block)) {
            double largest = LittleEndian.doubleAt(part, at);
            if (Double.compare(largest, 0) < 0 || largest == Double.POSITIVE_INFINITY) {
                throw DecodingException.at(
                        label(), "largestMagnitude=" + largest + ", block=" + at / blockBytes(block), at);
            }
        }
        int rest = (int) (numbers.count() % block);
        int ofLast = rest == 0 ? block : rest;
        if (bits == 4 && bytes > 0 && !HalfBytes.endsInZero(part.get(JAVA_BYTE, bytes - 1), ofLast)) {
            throw DecodingException.at(
                    label(), "the last half byte belongs to no element, count=" + numbers.count(), bytes - 1);
        }
        return part;
    }

    @Override
    public Optional<Codec> on(KernelQueue queue, LongFunction<Tensor> scratch) {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(scratch, "scratch");
        return Optional.of(new DeviceBlocks(this, queue, scratch));
    }
}
