package io.reactivecomm.compression;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.internal.call.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The signs of the numbers that reach a threshold τ, which adapts to how many do; all others decode as zero.
 *
 * <p>What is at least τ decodes as τ, and what is at most -τ as -τ, so what exceeds it is left to error feedback, without which this is of
 * little use. A rank {@linkplain #after adapts} its own τ after each step: where less than {@link Adaptation#leastShare} of all numbers
 * reached it, it becomes {@code τ * decay}; where more than {@link Adaptation#mostShare}, {@code τ / decay}. So τ is no part of the label,
 * and stands in the encoding:
 *
 * <pre>
 *   byte   0           8             16           24            32
 *          +-----------+-------------+------------+-------------+---
 *          | τ         | elements    | reaching   | reaching    | list, or map
 *          | FLOAT64   | of tensor   | of tensor  | of part     |
 *          +-----------+-------------+------------+-------------+---      little endian, INT64
 *
 *   list   an INT32 for each that reaches it, in order: its index in the part, and the top bit if it is negative
 *   map    two bits an element, the first in the lowest of a byte: 0 for none, 1 for τ, 2 for -τ; the rest of the last byte is 0
 * </pre>
 *
 * A part is written as a list if that is shorter, and else as a map; with the number of elements, its length tells which.
 *
 * <p><b>Special values.</b> If one number of the tensor is a NaN or an infinity, the τ in the encoding is a NaN with nothing after it, and
 * everything decodes as NaN, so that an overflow is seen by all; such a step does not adapt. Zeros of either sign and subnormals are below
 * τ, which is a normal FLOAT32 and rounded to one unless the values are FLOAT64. One element is a list or a map of one.
 *
 * <p><b>Cost.</b> 32 bytes a part, and 32 bits for each that reaches τ, at most 2 bits an element. Encoding takes two passes over the
 * values, decoding one.
 *
 * <p><b>Source.</b> Strom, <em>Scalable distributed DNN training using commodity GPU cloud computing</em>, 2015; the adaptation
 * is that of Deeplearning4j's {@code AdaptiveThresholdAlgorithm}.
 *
 * @param tau the threshold of the next step, a normal FLOAT32 above zero
 * @param adaptation the rule by which it changes
 */
public record Threshold(double tau, Adaptation adaptation) implements Codec {

    /** A first threshold for gradients of a usual size; twenty steps halve or double one that is not. */
    public static final double INITIAL_TAU = 1e-3;

    /**
     * The rule by which a threshold follows the share of numbers that reach it.
     *
     * @param leastShare the share below which the threshold falls
     * @param mostShare the share above which it rises
     * @param decay the factor by which it falls, below 1
     */
    public record Adaptation(double leastShare, double mostShare, double decay) {

        /** Deeplearning4j's shares, and a decay that, as its own, halves in twenty steps. A literal: a power might differ between machines. */
        public static final Adaptation USUAL = new Adaptation(1e-4, 1e-2, 0.966);

        public Adaptation {
            if (!(leastShare >= 0 && leastShare <= mostShare && decay > 0 && decay <= 1)) {
                throw new InvalidCallException(
                        "no such adaptation: leastShare=" + leastShare + ", mostShare=" + mostShare + ", decay=" + decay
                                + "; take shares in their order and a decay above 0 and at most 1");
            }
        }

        double next(double tau, long reaching, long elements) {
            double share = (double) reaching / elements;
            double next = share < leastShare ? tau * decay : share > mostShare ? tau / decay : tau;
            return Math.max(Float.MIN_NORMAL, Math.min(next, Float.MAX_VALUE));
        }
    }

    static final int HEADER_BYTES = 4 * Long.BYTES;

    private static final int ELEMENTS_AT = 8;
    private static final int REACHING_AT = 16;
    private static final int PART_REACHING_AT = 24;

    public Threshold {
        Objects.requireNonNull(adaptation, "a threshold has no adaptation; give one, such as Adaptation.USUAL");
        if (!(tau >= Float.MIN_NORMAL && tau <= Float.MAX_VALUE)) {
            throw new InvalidCallException(
                    "no such threshold: tau=" + tau + "; take a normal number of FLOAT32 above zero");
        }
    }

    /** {@return a codec with the usual first threshold and adaptation} */
    public static Threshold usual() {
        return new Threshold(INITIAL_TAU, Adaptation.USUAL);
    }

    @Override
    public String label() {
        return "threshold(shares=" + adaptation.leastShare + ".." + adaptation.mostShare + ", decay=" + adaptation.decay
                + ')';
    }

    @Override
    public Fidelity fidelity() {
        return Fidelity.LOSSY;
    }

    @Override
    public double errorBound() {
        return Double.POSITIVE_INFINITY;
    }

    /** {@return the bits of the largest share that does not raise the threshold} */
    @Override
    public double bitsPerElement() {
        return Math.min(2, adaptation.mostShare * Integer.SIZE);
    }

    @Override
    public long maxEncodedBytes(long count) {
        if (count > ThresholdBody.MOST_IN_PART) {
            throw new InvalidCallException("too many elements for an index of 31 bits: codec=" + label() + ", count="
                    + count + ", most=" + ThresholdBody.MOST_IN_PART + "; cut the tensor into more parts");
        }
        return count == 0 ? 0 : HEADER_BYTES + ThresholdBody.mapBytes(count);
    }

    @Override
    public boolean isFixedLength() {
        return false;
    }

    @Override
    public void encode(Tensor values, int parts, Tensor encoded, long[] lengths) {
        CodecChecks.encoding(this, values, parts, encoded, lengths);
        Source source = new Source(values);
        MemorySegment bytes = HostMemory.of(encoded, "encoded");
        Strip strip = Strip.of(source.type());
        long partCount = source.count() / parts;
        long stride = maxEncodedBytes(partCount);
        long all = 0;
        boolean isFinite = true;
        for (int p = 0; p < parts; p++) {
            long reaching = ThresholdBody.reaching(source, strip, p * partCount, partCount, tau);
            isFinite &= reaching >= 0;
            all += reaching;
            // The length tells what reaches it until the part is written.
            lengths[p] = reaching;
        }
        for (int p = 0; p < parts; p++) {
            long reaching = isFinite ? lengths[p] : 0;
            lengths[p] = partCount == 0 ? 0 : HEADER_BYTES;
            if (partCount > 0) {
                putHeader(
                        bytes,
                        p * stride,
                        isFinite ? strip.rounded(tau) : Double.NaN,
                        source.count(),
                        isFinite ? all : 0,
                        reaching);
            }
            if (reaching > 0) {
                ThresholdBody.write(
                        source, strip, p * partCount, partCount, tau, reaching, bytes, p * stride + HEADER_BYTES);
                lengths[p] += ThresholdBody.bytes(reaching, partCount);
            }
        }
    }

    private static void putHeader(
            MemorySegment encoded, long at, double tau, long elements, long reaching, long partReaching) {
        LittleEndian.putDouble(encoded, at, tau);
        LittleEndian.putLong(encoded, at + ELEMENTS_AT, elements);
        LittleEndian.putLong(encoded, at + REACHING_AT, reaching);
        LittleEndian.putLong(encoded, at + PART_REACHING_AT, partReaching);
    }

    @Override
    public void decode(Tensor encoded, Tensor values) {
        MemorySegment part = checked(encoded, "values", values);
        MemorySegment target = HostMemory.of(values, "values");
        Strip strip = Strip.of(values.type());
        ThresholdBody body = new ThresholdBody(part, HEADER_BYTES, values.count());
        for (long at = 0; at < values.count(); at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, values.count() - at);
            unpack(part, body, strip, at, 1, n);
            strip.writeOperand(values.type(), target, at, n);
        }
    }

    @Override
    public void decodeAndAdd(Tensor encoded, double weight, Tensor sum) {
        MemorySegment part = checked(encoded, "sum", sum);
        MemorySegment target = HostMemory.of(sum, "sum");
        Strip strip = Strip.of(sum.type());
        ThresholdBody body = new ThresholdBody(part, HEADER_BYTES, sum.count());
        for (long at = 0; at < sum.count(); at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, sum.count() - at);
            unpack(part, body, strip, at, weight, n);
            strip.read(sum.type(), target, at, n);
            strip.add(n);
            strip.write(sum.type(), target, at, n);
        }
    }

    private static void unpack(MemorySegment part, ThresholdBody body, Strip strip, long at, double weight, int n) {
        double tau = LittleEndian.doubleAt(part, 0);
        if (Double.isNaN(tau)) {
            strip.fillOperand(tau, n);
        } else {
            body.read(strip.bytes, at, n);
            strip.uncompare(tau, weight, n);
        }
    }

    private MemorySegment checked(Tensor encoded, String name, Tensor numbers) {
        CodecChecks.decoding(this, encoded, name, numbers);
        MemorySegment part = HostMemory.of(encoded, "encoded");
        long count = numbers.count();
        // Too many elements to be encoded are refused here, before their length is compared.
        if (maxEncodedBytes(count) == 0) {
            CodecChecks.length(this, encoded.count(), 0, count);
            return part;
        }
        checkHeader(part, encoded.count());
        long elements = LittleEndian.longAt(part, ELEMENTS_AT);
        long reaching = LittleEndian.longAt(part, PART_REACHING_AT);
        if (count > elements || reaching > count) {
            throw DecodingException.at(
                    label(), "elements=" + elements + ", partReaching=" + reaching + ", count=" + count, ELEMENTS_AT);
        }
        CodecChecks.length(this, encoded.count(), HEADER_BYTES + ThresholdBody.bytes(reaching, count), count);
        ThresholdBody.check(label(), part, HEADER_BYTES, reaching, count);
        return part;
    }

    private void checkHeader(MemorySegment part, long bytes) {
        if (bytes < HEADER_BYTES) {
            throw DecodingException.at(label(), "bytes=" + bytes + ", header=" + HEADER_BYTES, 0);
        }
        double tau = LittleEndian.doubleAt(part, 0);
        long elements = LittleEndian.longAt(part, ELEMENTS_AT);
        long reaching = LittleEndian.longAt(part, REACHING_AT);
        long partReaching = LittleEndian.longAt(part, PART_REACHING_AT);
        boolean isThreshold = tau >= Float.MIN_NORMAL && tau <= Float.MAX_VALUE || Double.isNaN(tau) && reaching == 0;
        if (!isThreshold || partReaching < 0 || partReaching > reaching || reaching > elements || elements < 1) {
            throw DecodingException.at(
                    label(),
                    "tau=" + tau + ", elements=" + elements + ", reaching=" + reaching + ", partReaching="
                            + partReaching,
                    0);
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws DecodingException if the bytes do not begin as a part does
     */
    @Override
    public Threshold after(Tensor encoded) {
        Objects.requireNonNull(encoded, "encoded");
        CodecChecks.bytes(this, encoded);
        MemorySegment part = HostMemory.of(encoded, "encoded");
        if (encoded.count() == 0) {
            return this;
        }
        checkHeader(part, encoded.count());
        boolean isFinite = !Double.isNaN(LittleEndian.doubleAt(part, 0));
        return isFinite
                ? adapted(LittleEndian.longAt(part, REACHING_AT), LittleEndian.longAt(part, ELEMENTS_AT))
                : this;
    }

    @Override
    public double[] adapted() {
        return new double[] {tau};
    }

    @Override
    public Threshold adaptedAs(double[] saved) {
        Objects.requireNonNull(saved, "saved");
        if (saved.length != 1) {
            throw new InvalidCallException("a threshold is one number: codec=" + label() + ", saved=" + saved.length
                    + " numbers; restore what this codec saved");
        }
        return new Threshold(saved[0], adaptation);
    }

    private Threshold adapted(long reaching, long elements) {
        return new Threshold(adaptation.next(tau, reaching, elements), adaptation);
    }
}
