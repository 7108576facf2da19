package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.reactivecomm.DType;
import io.reactivecomm.kernel.StripLanes;
import java.lang.foreign.MemorySegment;

/**
 * The numbers under work, in arrays that stay in the first cache, with the loops of all codecs over them. A {@link FloatStrip} serves types that
 * accumulate in FLOAT32, a {@link DoubleStrip} FLOAT64.
 *
 * <p>A strip holds {@code numbers}, an {@code operand} that is added to them or taken away, and {@code bytes} that come from an encoding or
 * go into one. As in {@link io.reactivecomm.kernel kernels}, elements of memory are copied into arrays first, and each loop does one simple
 * thing: C2 vectorises such loops over arrays, and none that reads and writes memory outside the heap. So there is one form, which gives
 * the same bits on vectors and without.
 *
 * <p><b>Threads.</b> Each thread has its own.
 */
abstract sealed class Strip permits FloatStrip, DoubleStrip {

    /** Elements of a strip; a multiple of 8, so that the bits of each begin with a byte. */
    static final int LENGTH = StripLanes.STRIP;

    private static final ThreadScratch<FloatStrip> FLOATS = new ThreadScratch<>(FloatStrip::new);
    private static final ThreadScratch<DoubleStrip> DOUBLES = new ThreadScratch<>(DoubleStrip::new);

    /** Bytes of an encoding, at most one an element. */
    final byte[] bytes = new byte[LENGTH];

    /** {@return this thread's strip for elements of a type} */
    static Strip of(DType type) {
        if (type == DType.FLOAT64) {
            return DOUBLES.get();
        }
        return FLOATS.get();
    }

    // Memory

    /** Reads elements {@code from} to {@code from + n} into the first {@code n} numbers. */
    abstract void read(DType type, MemorySegment source, long from, int n);

    /** As {@link #read}, into the operand. */
    abstract void readOperand(DType type, MemorySegment source, long from, int n);

    /** Writes the first {@code n} numbers, rounded to the type. */
    abstract void write(DType type, MemorySegment target, long from, int n);

    /** As {@link #write}, of the operand. */
    abstract void writeOperand(DType type, MemorySegment target, long from, int n);

    final void readBytes(MemorySegment source, long at, int n) {
        MemorySegment.copy(source, JAVA_BYTE, at, bytes, 0, n);
    }

    final void writeBytes(MemorySegment target, long at, int n) {
        MemorySegment.copy(bytes, 0, target, JAVA_BYTE, at, n);
    }

    // Numbers

    /** Makes numbers {@code from} to before {@code to} zero. */
    abstract void clear(int from, int to);

    /** Adds the first {@code n} of the operand to the numbers. */
    abstract void add(int n);

    /** Takes the first {@code n} of the operand from the numbers. */
    abstract void subtract(int n);

    /** Makes the first {@code n} of the operand this number. */
    abstract void fillOperand(double number, int n);

    // Signs

    /** Adds the squares of the first {@code n} numbers to the sums of a {@link Norm}, in turn from the first on. */
    abstract void addSquares(double[] sums, int n);

    /** {@return the nearest number of this arithmetic} */
    abstract double rounded(double number);

    /** Writes the signs of the first {@code n} numbers as bits into the bytes, the first into the highest bit, 0 for less than zero. */
    abstract void packSigns(int n);

    /** Makes the first {@code n} of the operand {@code scale * weight}, negated where the bit of the bytes is 0. */
    abstract void unpackSigns(double scale, double weight, int n);

    // Blocks

    /** {@return the largest magnitude of {@code n} numbers from {@code from} on; NaN if one is no finite number} */
    abstract double largestMagnitude(int from, int n);

    /**
     * Quantises {@code n} numbers from {@code from} on into the first bytes, or half bytes: {@code q = rint(x * (levels / largest))}, which is at
     * most {@code levels} also where scale and product are rounded up.
     *
     * @param largest the largest magnitude of them, which is greater than zero and finite
     * @param levels 127 for bytes, 7 for half bytes, of which the lower ones are the first half of the numbers
     */
    abstract void quantize(int from, int n, double largest, int levels);

    /** Makes {@code n} of the operand from {@code from} on what the first bytes stand for, {@code (q * (1 / levels)) * (largest * weight)}. */
    abstract void dequantize(int from, int n, double largest, double weight, int levels);

    // Single elements

    /**
     * Writes the order of magnitudes of the first {@code n} numbers: unsigned integers of {@link #magnitudeBits()} bits, of which all NaNs
     * have the largest.
     */
    abstract void magnitudes(long[] into, int n);

    /** {@return how many bits a magnitude has} */
    abstract int magnitudeBits();

    /** {@return a number, as FLOAT32} */
    abstract float single(int i);

    /** Makes an element of the operand a number times a weight. */
    abstract void setOperand(int i, float number, double weight);

    /**
     * Writes a byte for each of the first {@code n} numbers: 1 if it is at least {@code threshold}, 2 if it is at most its negative, else 0.
     *
     * @return how many are not 0, or -1 if a number is not finite
     */
    abstract int compare(double threshold, int n);

    /** Makes the first {@code n} of the operand {@code threshold * weight} for a byte of 1, its negative for 2 and else 0. */
    abstract void uncompare(double threshold, double weight, int n);
}
