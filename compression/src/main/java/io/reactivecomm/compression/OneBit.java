package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import io.reactivecomm.device.KernelQueue;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One bit for each number, its sign, and one scale for all.
 *
 * <p>With N numbers b, padding included, the scale is {@code s = ||b||2 / sqrt(N)}, and a number decodes as {@code s * sgn(b)}. The sign of
 * what is zero or more is +1, that of what is less is -1; it is never 0. The norm is that of the whole tensor, not of a part, and {@link
 * Norm} says in which order it adds. It is rounded to the accumulator once.
 *
 * <pre>
 *   byte   0               8
 *          +---------------+----------------------+
 *          | s, FLOAT64    | bits of a part       |     little endian; element 8i + j is bit 7 - j of byte i, and the rest of the last byte is 0
 *          +---------------+----------------------+
 * </pre>
 *
 * <p><b>Special values.</b> -0 is +1. A zero decodes as s, never as zero: mask what has to stay zero. A NaN is +1, and makes the scale a
 * NaN, so that everything decodes as NaN; an infinity makes the scale infinite. So an overflow is seen by all. Subnormals are numbers as
 * others. Of FLOAT64, squares of magnitudes above 2^511 overflow to an infinite scale, and those below 2^-537 vanish. One element keeps its
 * magnitude, as far as the root of its square gives it.
 *
 * <p><b>On a device.</b> The norm is added up in another order, the same on all GPUs: the scale may differ in its last place, and all else is equal,
 * given the scale. A negative scale, which no encoder writes, decodes as NaN throughout.
 *
 * <p><b>Cost.</b> 8 bytes a part and one bit an element. Encoding takes one pass over the values, a second for the error, decoding one.
 *
 * <p><b>Source.</b> Tang et al., <em>1-bit Adam</em>, 2021, section 4; DeepSpeed's {@code compressed_allreduce}.
 */
public record OneBit() implements Codec {

    private static final long HEADER_BYTES = Double.BYTES;

    /** The numbers that are encoded with their error forwards, on the way backwards through all: long enough for the memory's prefetching. */
    private static final long AT_ONCE = 1 << 14;

    @Override
    public String label() {
        return "one-bit";
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
        return 1;
    }

    @Override
    public long maxEncodedBytes(long count) {
        return count == 0 ? 0 : HEADER_BYTES + SignBits.bytes(count);
    }

    @Override
    public boolean isFixedLength() {
        return true;
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
        Arrays.fill(lengths, 0, parts, length);
        if (length == 0) {
            return;
        }
        Norm norm = Norm.ofNone();
        for (int p = 0; p < parts; p++) {
            addPart(
                    source,
                    strip,
                    p * partCount,
                    partCount,
                    norm,
                    after == null ? encoded : null,
                    p * length + HEADER_BYTES);
            norm.turn(partCount);
        }
        double scale = strip.rounded(norm.overRootOfCount());
        // From the end, whose numbers the norm has left in the caches.
        for (int p = parts - 1; p >= 0; p--) {
            LittleEndian.putDouble(encoded, p * length, scale);
            if (after != null) {
                packPart(source, strip, p * partCount, partCount, scale, after, encoded, p * length + HEADER_BYTES);
            }
        }
    }

    /**
     * Adds a part to the norm, and writes its bits if they are given a place, the whole work where no error is wanted. Where one is, they are written with it: that
     * pass waits for memory, this one counts.
     */
    private static void addPart(
            Source source,
            Strip strip,
            long first,
            long count,
            Norm norm,
            @Nullable MemorySegment encoded,
            long bitsAt) {
        for (long at = addDirectly(source, first, count, norm, encoded, bitsAt); at < count; at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            strip.addSquares(norm.sums, n);
            if (encoded != null) {
                pack(strip, n, encoded, bitsAt + at / Byte.SIZE);
            }
        }
    }

    private static void pack(Strip strip, int n, MemorySegment encoded, long at) {
        strip.packSigns(n);
        strip.writeBytes(encoded, at, (int) SignBits.bytes(n));
    }

    /** {@return how many of the part's first numbers were added on vectors} */
    private static long addDirectly(
            Source source, long first, long count, Norm norm, @Nullable MemorySegment encoded, long bitsAt) {
        if (!DirectLoop.ADD_SQUARES.isReady() || !source.isDirect(encoded, null)) {
            return 0;
        }
        long n = source.present(first, count) / FloatVectors.GRAIN * FloatVectors.GRAIN;
        for (long at = 0; at < n; at += Strip.LENGTH) {
            long bits = encoded == null ? 0 : encoded.address() + bitsAt + at / Byte.SIZE;
            int more = (int) Math.min(Strip.LENGTH, n - at);
            FloatVectors.addSquares(
                    source.valueAddress(first + at), source.beforeAddress(first + at), norm.sums, bits, more);
        }
        // Memory that the collector frees stays until here.
        Reference.reachabilityFence(source);
        Reference.reachabilityFence(encoded);
        return n;
    }

    /** The sum is made anew: to write it in the first pass and read it in the second takes as many accesses, of which two would write. */
    private static void packPart(
            Source source,
            Strip strip,
            long first,
            long count,
            double scale,
            MemorySegment after,
            MemorySegment encoded,
            long bitsAt) {
        DType errorType = source.type().accumulator();
        for (long at = packDirectly(source, first, count, scale, after, encoded, bitsAt);
                at < count;
                at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            pack(strip, n, encoded, bitsAt + at / Byte.SIZE);
            strip.unpackSigns(scale, 1, n);
            strip.subtract(n);
            strip.write(errorType, after, first + at, n);
        }
    }

    /** {@return how many of the part's first numbers were encoded on vectors} */
    private static long packDirectly(
            Source source,
            long first,
            long count,
            double scale,
            MemorySegment after,
            MemorySegment encoded,
            long bitsAt) {
        if (!DirectLoop.PACK_SIGNS.isReady() || !source.isDirect(encoded, after)) {
            return 0;
        }
        long n = source.present(first, count) / FloatVectors.GRAIN * FloatVectors.GRAIN;
        for (long at = (n - 1) / AT_ONCE * AT_ONCE; at >= 0; at -= AT_ONCE) {
            long from = first + at;
            FloatVectors.packSigns(
                    source.valueAddress(from),
                    source.beforeAddress(from),
                    Source.addressOf(after, from),
                    (float) scale,
                    encoded.address() + bitsAt + at / Byte.SIZE,
                    Math.min(AT_ONCE, n - at));
        }
        Reference.reachabilityFence(source);
        Reference.reachabilityFence(after);
        Reference.reachabilityFence(encoded);
        return n;
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        MemorySegment part = checked(encoded, "values", values);
        MemorySegment target = HostMemory.of(values, "values");
        Strip strip = Strip.of(values.type());
        for (long at = unpackDirectly(part, 1, false, values.type(), target, values.count());
                at < values.count();
                at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, values.count() - at);
            unpack(part, strip, at, 1, n);
            strip.writeOperand(values.type(), target, at, n);
        }
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        MemorySegment part = checked(encoded, "sum", sum);
        MemorySegment target = HostMemory.of(sum, "sum");
        Strip strip = Strip.of(sum.type());
        for (long at = unpackDirectly(part, weight, true, sum.type(), target, sum.count());
                at < sum.count();
                at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, sum.count() - at);
            unpack(part, strip, at, weight, n);
            strip.read(sum.type(), target, at, n);
            strip.add(n);
            strip.write(sum.type(), target, at, n);
        }
    }

    /** {@return how many of the first elements were decoded on vectors} */
    private static long unpackDirectly(
            MemorySegment part, double weight, boolean adds, DType type, MemorySegment target, long count) {
        if (!DirectLoop.UNPACK_SIGNS.isReady() || count < FloatVectors.GRAIN || !Source.isDirect(type, part, target)) {
            return 0;
        }
        long n = count / FloatVectors.GRAIN * FloatVectors.GRAIN;
        float scale = (float) LittleEndian.doubleAt(part, 0) * (float) weight;
        FloatVectors.unpackSigns(part.address() + HEADER_BYTES, scale, adds, target.address(), n);
        Reference.reachabilityFence(part);
        Reference.reachabilityFence(target);
        return n;
    }

    private static void unpack(MemorySegment part, Strip strip, long at, double weight, int n) {
        strip.readBytes(part, HEADER_BYTES + at / Byte.SIZE, (int) SignBits.bytes(n));
        strip.unpackSigns(LittleEndian.doubleAt(part, 0), weight, n);
    }

    private MemorySegment checked(Tensor encoded, String name, Tensor numbers) {
        CodecChecks.decoding(this, encoded, name, numbers);
        MemorySegment part = HostMemory.of(encoded, "encoded");
        if (numbers.count() > 0) {
            double scale = LittleEndian.doubleAt(part, 0);
            if (Double.compare(scale, 0) < 0) {
                throw DecodingException.at(label(), "scale=" + scale + " is negative", 0);
            }
            byte last = part.get(JAVA_BYTE, encoded.count() - 1);
            if (!SignBits.endsInZeros(last, numbers.count())) {
                throw DecodingException.at(
                        label(),
                        "lastByte=" + last + " has bits of no element, count=" + numbers.count(),
                        encoded.count() - 1);
            }
        }
        return part;
    }

    @Override
    public Optional<Codec> on(KernelQueue queue, LongFunction<Tensor> scratch) {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(scratch, "scratch");
        return Optional.of(new DeviceOneBit(this, queue, scratch));
    }
}
