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

    /** The loops take a multiple of this many elements: whole vectors of either width, also as halves of blocks. */
    static final int GRAIN = Long.SIZE;

    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> DOUBLES = DoubleVector.SPECIES_PREFERRED;
    private static final int LANES = FLOATS.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Bytes for as many ints as a vector has; narrower ones than 64 bits there are not, see {@link #areWide}. */
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, INTS.vectorBitSize() / Integer.BYTES)));

    private static final IntVector PLACES = IntVector.broadcast(INTS, 0).addIndex(1);
    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final float INTEGERS = 0x1.8p23f;
    private static final int INFINITY_BITS = 0x7F80_0000;
    private static final int SMALL_BITS = Float.floatToRawIntBits(FloatStrip.SMALL);
    private static final int HALF_BYTE = 0xF;

    /** Elements between two looks at what was found; enough that a look costs nothing. */
    private static final int FINITE_AT_ONCE = 1 << 14;

    /** The top bit of a half byte, which stands for -8. */
    private static final int HALF_BYTE_SIGN = 8;

    private FloatVectors() {}

    /** {@return whether vectors have 8 or 16 lanes of floats, as these loops take for granted} */
    static boolean areWide() {
        return LANES >= 8 && 2 * LANES <= Norm.SUMS;
    }

    private static FloatVector load(long values, long before, long at) {
        FloatVector x = FloatVector.fromMemorySegment(FLOATS, ALL, values + at * Float.BYTES, ORDER);
        return before == 0 ? x : x.add(FloatVector.fromMemorySegment(FLOATS, ALL, before + at * Float.BYTES, ORDER));
    }

    /**
     * Adds the squares of a strip to the sums, those of two vectors in each turn, once or twice through the strip; and writes the signs as bits if they have an address.
     */
    static void addSquares(long values, long before, double[] sums, long bits, int n) {
        int half = LANES / 2;
        for (int column = 0; column < Norm.SUMS; column += 2 * LANES) {
            DoubleVector s0 = DoubleVector.fromArray(DOUBLES, sums, column);
            DoubleVector s1 = DoubleVector.fromArray(DOUBLES, sums, column + half);
            DoubleVector s2 = DoubleVector.fromArray(DOUBLES, sums, column + LANES);
            DoubleVector s3 = DoubleVector.fromArray(DOUBLES, sums, column + LANES + half);
            for (int i = column; i < n; i += Norm.SUMS) {
                FloatVector b = load(values, before, i);
                FloatVector c = load(values, before, i + LANES);
                if (bits != 0) {
                    int negatives =
                            Integer.reverse((int) (b.lt(0).toLong() | c.lt(0).toLong() << LANES));
                    if (2 * LANES == Integer.SIZE) {
                        ALL.set(INT, bits + i / Byte.SIZE, ~negatives);
                    } else {
                        ALL.set(SHORT, bits + i / Byte.SIZE, (short) (~negatives >>> Short.SIZE));
                    }
                }
                // The square of a float is a double, so nothing is rounded before the sum, be it made at once with it
                // or not.
                DoubleVector b0 = wide(b, 0);
                DoubleVector b1 = wide(b, 1);
                DoubleVector c0 = wide(c, 0);
                DoubleVector c1 = wide(c, 1);
                s0 = b0.fma(b0, s0);
                s1 = b1.fma(b1, s1);
                s2 = c0.fma(c0, s2);
                s3 = c1.fma(c1, s3);
            }
            s0.intoArray(sums, column);
            s1.intoArray(sums, column + half);
            s2.intoArray(sums, column + LANES);
            s3.intoArray(sums, column + LANES + half);
        }
    }

    private static DoubleVector wide(FloatVector b, int half) {
        return (DoubleVector) b.convertShape(VectorOperators.F2D, DOUBLES, half);
    }

    /** Writes the signs as bits, and what the scale leaves of each number. */
    static void packSigns(long values, long before, long lost, float scale, long bits, long n) {
        FloatVector positive = FloatVector.broadcast(FLOATS, scale);
        FloatVector negative = FloatVector.broadcast(FLOATS, -scale);
        for (long from = 0; from < n; from += GRAIN) {
            long negatives = 0;
            for (int i = 0; i < GRAIN; i += LANES) {
                FloatVector b = load(values, before, from + i);
                VectorMask<Float> isNegative = b.lt(0);
                negatives |= isNegative.toLong() << i;
                b.sub(positive.blend(negative, isNegative))
                        .intoMemorySegment(ALL, lost + (from + i) * Float.BYTES, ORDER);
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
                IntVector signs = IntVector.broadcast(INTS, negatives << i)
                        .lanewise(VectorOperators.LSHL, PLACES)
                        .and(Integer.MIN_VALUE);
                FloatVector decoded =
                        signs.lanewise(VectorOperators.XOR, positive).reinterpretAsFloats();
                put(decoded, adds, target, from + i);
            }
        }
    }

    private static void put(FloatVector decoded, boolean adds, long target, long at) {
        FloatVector put = adds
                ? FloatVector.fromMemorySegment(FLOATS, ALL, target + at * Float.BYTES, ORDER)
                        .add(decoded)
                : decoded;
        put.intoMemorySegment(ALL, target + at * Float.BYTES, ORDER);
    }

    /**
     * Encodes whole blocks to bytes, and writes what that leaves of each number if it is wanted.
     *
     * @return how many of the first blocks it has encoded; it stops before one whose largest magnitude is zero, small or no finite number
     */
    static long quantizeToBytes(long values, long before, long lost, long encoded, int block, long blocks) {
        FloatVector integers = FloatVector.broadcast(FLOATS, INTEGERS);
        FloatVector share = FloatVector.broadcast(FLOATS, 1f / BlockQuantization.BYTE_LEVELS);
        long to = encoded;
        for (long at = 0; at < blocks * block; at += block) {
            int largest = largestMagnitude(values, before, at, block);
            if (isSpecial(largest)) {
                return at / block;
            }
            float magnitude = Float.intBitsToFloat(largest);
            ALL.set(DOUBLE, to, magnitude);
            to += Double.BYTES;
            FloatVector scale = FloatVector.broadcast(FLOATS, BlockQuantization.BYTE_LEVELS / magnitude);
            FloatVector by = FloatVector.broadcast(FLOATS, magnitude);
            for (int i = 0; i < block; i += LANES) {
                FloatVector b = load(values, before, at + i);
                IntVector q = b.mul(scale).add(integers).reinterpretAsInts();
                q.convertShape(VectorOperators.I2B, BYTES, 0).intoMemorySegment(ALL, to + i, ORDER);
                if (lost != 0) {
                    b.sub(q.reinterpretAsFloats().sub(integers).mul(share).mul(by))
                            .intoMemorySegment(ALL, lost + (at + i) * Float.BYTES, ORDER);
                }
            }
            to += block;
        }
        return blocks;
    }

    /** As {@link #quantizeToBytes}, to half bytes; half of a block is whole vectors. */
    static long quantizeToHalfBytes(long values, long before, long lost, long encoded, int block, long blocks) {
        FloatVector integers = FloatVector.broadcast(FLOATS, INTEGERS);
        FloatVector share = FloatVector.broadcast(FLOATS, 1f / BlockQuantization.HALF_BYTE_LEVELS);
        IntVector lowest = IntVector.broadcast(INTS, HALF_BYTE);
        int half = block / 2;
        long to = encoded;
        for (long at = 0; at < blocks * block; at += block) {
            int largest = largestMagnitude(values, before, at, block);
            if (isSpecial(largest)) {
                return at / block;
            }
            float magnitude = Float.intBitsToFloat(largest);
            ALL.set(DOUBLE, to, magnitude);
            to += Double.BYTES;
            FloatVector scale = FloatVector.broadcast(FLOATS, BlockQuantization.HALF_BYTE_LEVELS / magnitude);
            FloatVector by = FloatVector.broadcast(FLOATS, magnitude);
            for (int i = 0; i < half; i += LANES) {
                FloatVector lower = load(values, before, at + i);
                FloatVector upper = load(values, before, at + half + i);
                IntVector p = lower.mul(scale).add(integers).reinterpretAsInts();
                IntVector q = upper.mul(scale).add(integers).reinterpretAsInts();
                p.and(lowest)
                        .or(q.lanewise(VectorOperators.LSHL, 4))
                        .convertShape(VectorOperators.I2B, BYTES, 0)
                        .intoMemorySegment(ALL, to + i, ORDER);
                if (lost != 0) {
                    lower.sub(p.reinterpretAsFloats().sub(integers).mul(share).mul(by))
                            .intoMemorySegment(ALL, lost + (at + i) * Float.BYTES, ORDER);
                    upper.sub(q.reinterpretAsFloats().sub(integers).mul(share).mul(by))
                            .intoMemorySegment(ALL, lost + (at + half + i) * Float.BYTES, ORDER);
                }
            }
            to += half;
        }
        return blocks;
    }

    /** {@return whether it takes {@link FloatStrip#raise}, or there is no scale} */
    private static boolean isSpecial(int largestMagnitude) {
        return largestMagnitude < SMALL_BITS || largestMagnitude >= INFINITY_BITS;
    }

    /** {@return whether no element is a NaN or an infinity} */
    static boolean areFinite(long elements, long n) {
        for (long at = 0; at < n; at += FINITE_AT_ONCE) {
            if (largestMagnitude(elements, 0, at, (int) Math.min(FINITE_AT_ONCE, n - at)) >= INFINITY_BITS) {
                return false;
            }
        }
        return true;
    }

    private static int largestMagnitude(long values, long before, long from, int n) {
        IntVector mask = IntVector.broadcast(INTS, MAGNITUDE);
        IntVector largest = IntVector.zero(INTS);
        for (int i = 0; i < n; i += LANES) {
            largest = largest.max(
                    load(values, before, from + i).reinterpretAsInts().and(mask));
        }
        return largest.reduceLanes(VectorOperators.MAX);
    }

    /** Writes what whole blocks of bytes stand for, or adds it. */
    static void dequantizeBytes(long encoded, float weight, boolean adds, long target, int block, long blocks) {
        FloatVector share = FloatVector.broadcast(FLOATS, 1f / BlockQuantization.BYTE_LEVELS);
        long from = encoded;
        for (long at = 0; at < blocks * block; at += block) {
            FloatVector by = FloatVector.broadcast(FLOATS, (float) ALL.get(DOUBLE, from) * weight);
            from += Double.BYTES;
            for (int i = 0; i < block; i += LANES) {
                FloatVector q = (FloatVector) ByteVector.fromMemorySegment(BYTES, ALL, from + i, ORDER)
                        .convertShape(VectorOperators.B2F, FLOATS, 0);
                put(q.mul(share).mul(by), adds, target, at + i);
            }
            from += block;
        }
    }

    /** As {@link #dequantizeBytes}, of half bytes, one half after the other: memory that is touched in turn at two places is not prefetched. */
    static void dequantizeHalfBytes(long encoded, float weight, boolean adds, long target, int block, long blocks) {
        FloatVector share = FloatVector.broadcast(FLOATS, 1f / BlockQuantization.HALF_BYTE_LEVELS);
        FloatVector zero = FloatVector.broadcast(FLOATS, INTEGERS + HALF_BYTE_SIGN);
        IntVector zeroBits = zero.reinterpretAsInts();
        IntVector lowest = IntVector.broadcast(INTS, HALF_BYTE);
        int half = block / 2;
        long from = encoded;
        for (long at = 0; at < blocks * block; at += block) {
            FloatVector by = FloatVector.broadcast(FLOATS, (float) ALL.get(DOUBLE, from) * weight);
            from += Double.BYTES;
            for (int i = 0; i < half; i += LANES) {
                IntVector lower = widen(from + i).and(lowest).lanewise(VectorOperators.XOR, zeroBits);
                put(lower.reinterpretAsFloats().sub(zero).mul(share).mul(by), adds, target, at + i);
            }
            for (int i = 0; i < half; i += LANES) {
                IntVector upper =
                        widen(from + i).lanewise(VectorOperators.LSHR, 4).lanewise(VectorOperators.XOR, zeroBits);
                put(upper.reinterpretAsFloats().sub(zero).mul(share).mul(by), adds, target, at + half + i);
            }
            from += half;
        }
    }

    private static IntVector widen(long source) {
        return (IntVector) ByteVector.fromMemorySegment(BYTES, ALL, source, ORDER)
                .convertShape(VectorOperators.ZERO_EXTEND_B2I, INTS, 0);
    }
}
