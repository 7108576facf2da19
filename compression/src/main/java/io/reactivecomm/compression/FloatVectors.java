package io.reactivecomm.compression;

import static io.reactivecomm.kernel.VectorMemory.ALL;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops of {@link FloatStrip} on vectors, straight on memory outside the heap, given by addresses. They do the same operations on each
 * number in the same order, so they give the same bits.
 *
 * <p>Nothing is checked here. Who calls has asked whether the loop {@linkplain DirectLoop is ready} and {@link Source#isDirect} of all
 * memory, and wants a multiple of {@link #GRAIN} elements. An address of 0 for the error means that there is none, and the same for what is
 * lost: the compiler takes the question out of the loop. Loaded only where the module {@code jdk.incubator.vector} is.
 */
final class FloatVectors {

    /** The loops take a multiple of this many elements: the signs of so many fill a long. */
    static final int GRAIN = Long.SIZE;

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;
    private static final int LANES = FLOATS.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Bytes for as many ints as a vector has; narrower ones than 64 bits there are not, see {@link #areWide}. */
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, INTS.vectorBitSize() / Integer.BYTES)));

    private static final IntVector PLACES = IntVector.broadcast(INTS, 0).addIndex(1);
    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final float INTEGERS = 0x1.8p23f;
    private static final int INTEGERS_BITS = 0x4B40_0000;
    private static final int HALF_BYTE = 0xF;

    private FloatVectors() {}

    /** {@return whether vectors have 8 or 16 lanes of floats, as these loops take for granted} */
    static boolean areWide() {
        return LANES >= 8 && 2 * LANES <= Norm.SUMS;
    }

    private static FloatVector load(long values, long before, long at) {
        FloatVector x = FloatVector.fromMemorySegment(FLOATS, ALL, values + at * Float.BYTES, ORDER);
        return before == 0 ? x : x.add(FloatVector.fromMemorySegment(FLOATS, ALL, before + at * Float.BYTES, ORDER));
    }

    /** Adds the squares of a strip to the sums: those of two vectors in each turn, once or twice through the strip. */
    static void addSquares(long values, long before, double[] sums, int n) {
        int half = LANES / 2;
        for (int column = 0; column < Norm.SUMS; column += 2 * LANES) {
            DoubleVector s0 = DoubleVector.fromArray(DOUBLES, sums, column);
            DoubleVector s1 = DoubleVector.fromArray(DOUBLES, sums, column + half);
            DoubleVector s2 = DoubleVector.fromArray(DOUBLES, sums, column + LANES);
            DoubleVector s3 = DoubleVector.fromArray(DOUBLES, sums, column + LANES + half);
            for (int i = column; i < n; i += Norm.SUMS) {
                FloatVector b = load(values, before, i);
                FloatVector c = load(values, before, i + LANES);
                s0 = s0.add(square(b, 0));
                s1 = s1.add(square(b, 1));
                s2 = s2.add(square(c, 0));
                s3 = s3.add(square(c, 1));
            }
            s0.intoArray(sums, column);
            s1.intoArray(sums, column + half);
            s2.intoArray(sums, column + LANES);
            s3.intoArray(sums, column + LANES + half);
        }
    }

    private static DoubleVector square(FloatVector b, int half) {
        DoubleVector wide = (DoubleVector) b.convertShape(VectorOperators.F2D, DOUBLES, half);
        return wide.mul(wide);
    }

    /** Writes signs as bits, and what the scale leaves of each number. */
    static void packSigns(long values, long before, long lost, float scale, long bits, long n) {
        FloatVector positive = FloatVector.broadcast(FLOATS, scale);
        FloatVector negative = FloatVector.broadcast(FLOATS, -scale);
        for (long from = 0; from < n; from += GRAIN) {
            long negatives = 0;
            for (int i = 0; i < GRAIN; i += LANES) {
                FloatVector b = load(values, before, from + i);
                VectorMask<Float> isNegative = b.lt(0);
                negatives |= isNegative.toLong() << i;
                if (lost != 0) {
                    b.sub(positive.blend(negative, isNegative)).intoMemorySegment(ALL, lost + (from + i) * Float.BYTES, ORDER);
                }
            }
            ALL.set(LONG, bits + from / Byte.SIZE, Long.reverse(~negatives));
        }
    }

    /** Writes the scale with the signs of the bits, or adds it. */
    static void unpackSigns(long bits, float scale, boolean adds, long target, long n) {
        IntVector positive = IntVector.broadcast(INTS, Float.floatToRawIntBits(scale));
        for (long from = 0; from < n; from += Integer.SIZE) {
            // Element k's bit is k places from the top, where its negation becomes the sign.
            int negatives = ~ALL.get(INT, bits + from / Byte.SIZE);
            for (int i = 0; i < Integer.SIZE; i += LANES) {
                IntVector signs = IntVector.broadcast(INTS, negatives << i).lanewise(VectorOperators.LSHL, PLACES).and(Integer.MIN_VALUE);
                FloatVector decoded = signs.lanewise(VectorOperators.XOR, positive).reinterpretAsFloats();
                put(decoded, adds, target, from + i);
            }
        }
    }

    private static void put(FloatVector decoded, boolean adds, long target, long at) {
        FloatVector put = adds ? FloatVector.fromMemorySegment(FLOATS, ALL, target + at * Float.BYTES, ORDER).add(decoded) : decoded;
        put.intoMemorySegment(ALL, target + at * Float.BYTES, ORDER);
    }

    /** {@return the bits of the largest magnitude, of which NaNs are largest} */
    static int largestMagnitude(long values, long before, int n) {
        IntVector largest = IntVector.zero(INTS);
        for (int i = 0; i < n; i += LANES) {
            largest = largest.max(load(values, before, i).reinterpretAsInts().and(MAGNITUDE));
        }
        return largest.reduceLanes(VectorOperators.MAX);
    }

    /** Quantises to bytes, and writes what they leave of each number if that is wanted. */
    static void quantizeToBytes(long values, long before, long lost, float raise, float scale, float largest, long bytes, int n) {
        for (int i = 0; i < n; i += LANES) {
            FloatVector b = load(values, before, i);
            IntVector q = quantized(b, raise, scale, BlockQuantization.BYTE_LEVELS);
            narrow(q, bytes + i);
            leave(b, q, BlockQuantization.BYTE_LEVELS, largest, lost, i);
        }
    }

    /** As {@link #quantizeToBytes}, to half bytes; half of the block is whole vectors. */
    static void quantizeToHalfBytes(long values, long before, long lost, float raise, float scale, float largest, long bytes, int n) {
        int half = n / 2;
        for (int i = 0; i < half; i += LANES) {
            FloatVector lower = load(values, before, i);
            FloatVector upper = load(values, before, half + i);
            IntVector p = quantized(lower, raise, scale, BlockQuantization.HALF_BYTE_LEVELS);
            IntVector q = quantized(upper, raise, scale, BlockQuantization.HALF_BYTE_LEVELS);
            narrow(p.and(HALF_BYTE).or(q.lanewise(VectorOperators.LSHL, 4)), bytes + i);
            leave(lower, p, BlockQuantization.HALF_BYTE_LEVELS, largest, lost, i);
            leave(upper, q, BlockQuantization.HALF_BYTE_LEVELS, largest, lost, half + i);
        }
    }

    /** Rounded by the sum with a number whose lowest bit is 1, the integer stands in the sum's lowest bits. */
    private static IntVector quantized(FloatVector b, float raise, float scale, int levels) {
        IntVector q = b.mul(raise).mul(scale).add(INTEGERS).reinterpretAsInts().sub(INTEGERS_BITS);
        return q.min(levels - 1).max(-levels);
    }

    private static void narrow(IntVector q, long target) {
        q.convertShape(VectorOperators.I2B, BYTES, 0).intoMemorySegment(ALL, target, ORDER);
    }

    private static void leave(FloatVector b, IntVector q, int levels, float largest, long lost, int at) {
        if (lost != 0) {
            b.sub(number(q, levels, largest)).intoMemorySegment(ALL, lost + (long) at * Float.BYTES, ORDER);
        }
    }

    private static FloatVector number(IntVector q, int levels, float by) {
        return ((FloatVector) q.convertShape(VectorOperators.I2F, FLOATS, 0)).mul(1f / levels).mul(by);
    }

    /** Writes what bytes stand for, or adds it. */
    static void dequantizeBytes(long bytes, float by, boolean adds, long target, int n) {
        for (int i = 0; i < n; i += LANES) {
            put(number(widen(bytes + i), BlockQuantization.BYTE_LEVELS, by), adds, target, i);
        }
    }

    /** As {@link #dequantizeBytes}, of half bytes. */
    static void dequantizeHalfBytes(long bytes, float by, boolean adds, long target, int n) {
        int half = n / 2;
        for (int i = 0; i < half; i += LANES) {
            IntVector both = widen(bytes + i);
            IntVector lower = both.lanewise(VectorOperators.LSHL, Integer.SIZE - 4).lanewise(VectorOperators.ASHR, Integer.SIZE - 4);
            put(number(lower, BlockQuantization.HALF_BYTE_LEVELS, by), adds, target, i);
            put(number(both.lanewise(VectorOperators.ASHR, 4), BlockQuantization.HALF_BYTE_LEVELS, by), adds, target, half + i);
        }
    }

    private static IntVector widen(long source) {
        return (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, source, ORDER).convertShape(VectorOperators.B2I, INTS, 0);
    }
}
