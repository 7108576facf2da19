package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import io.reactivecomm.DType;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.kernel.StripLanes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A strip of floats.
 *
 * <p>C2 of JDK 25 vectorises neither the move of bits between int and float nor a loop over both bytes and ints that does more than
 * convert. So floats become ints by a copy, and the narrowing is a loop of its own.
 */
final class FloatStrip extends Strip {

    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final int INFINITY = 0x7F80_0000;

    /** The least normal magnitude from which on {@code levels / largest} is far from overflow; smaller ones are raised first, which is exact. */
    static final float SMALL = 0x1p-64f;

    private static final float RAISE = 0x1p64f;

    /** Added and taken away again, it rounds what is below 2^22 to an integer, ties to even. */
    private static final float INTEGERS = 0x1.8p23f;

    private final float[] numbers = new float[LENGTH];
    private final float[] operand = new float[LENGTH];
    private final int[] ints = new int[LENGTH];
    private final MemorySegment intsInMemory = MemorySegment.ofArray(ints);
    private final MemorySegment operandInMemory = MemorySegment.ofArray(operand);

    private final StripLanes<float[]> halves = Kernels.floatLanesForLoop(DType.FLOAT16);
    private final StripLanes<float[]> upperHalves = Kernels.floatLanesForLoop(DType.BFLOAT16);
    private final StripLanes<float[]> whole = Kernels.floatLanesForLoop(DType.FLOAT32);

    private StripLanes<float[]> lanes(DType type) {
        return switch (type) {
            case FLOAT16 -> halves;
            case BFLOAT16 -> upperHalves;
            case FLOAT32 -> whole;
            case FLOAT64, INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("no type of arithmetic in FLOAT32: type=" + type);
        };
    }

    @Override
    void read(DType type, MemorySegment source, long from, int n) {
        lanes(type).read(source, from, numbers, n);
    }

    @Override
    void readOperand(DType type, MemorySegment source, long from, int n) {
        lanes(type).read(source, from, operand, n);
    }

    @Override
    void write(DType type, MemorySegment target, long from, int n) {
        lanes(type).write(numbers, target, from, n);
    }

    @Override
    void writeOperand(DType type, MemorySegment target, long from, int n) {
        lanes(type).write(operand, target, from, n);
    }

    @Override
    void clear(int from, int to) {
        Arrays.fill(numbers, from, to, 0);
    }

    @Override
    void add(int n) {
        float[] numbers = this.numbers;
        float[] operand = this.operand;
        for (int i = 0; i < n; i++) {
            numbers[i] += operand[i];
        }
    }

    @Override
    void subtract(int n) {
        float[] numbers = this.numbers;
        float[] operand = this.operand;
        for (int i = 0; i < n; i++) {
            numbers[i] -= operand[i];
        }
    }

    @Override
    void fillOperand(double number, int n) {
        Arrays.fill(operand, 0, n, (float) number);
    }

    @Override
    void addSquares(double[] sums, int n) {
        float[] numbers = this.numbers;
        for (int i = 0; i < n; i++) {
            double number = numbers[i];
            sums[i % Norm.SUMS] += number * number;
        }
    }

    @Override
    double rounded(double number) {
        return (float) number;
    }

    @Override
    void packSigns(int n) {
        int[] ints = this.ints;
        MemorySegment.copy(numbers, 0, intsInMemory, JAVA_FLOAT_UNALIGNED, 0, n);
        for (int i = 0; i < n; i++) {
            int bits = ints[i];
            int magnitude = bits & MAGNITUDE;
            // The sign counts unless the number is a zero or a NaN: 0 - magnitude and infinity - magnitude have the top
            // bit set otherwise.
            ints[i] = (~(bits & -magnitude & ~(INFINITY - magnitude))) >>> 31;
        }
        narrow(n);
        SignBits.pack(bytes, n);
    }

    @Override
    void unpackSigns(double scale, double weight, int n) {
        int positive = Float.floatToRawIntBits((float) scale * (float) weight);
        int[] ints = this.ints;
        SignBits.unpack(bytes, n, positive, ints);
        MemorySegment.copy(ints, 0, operandInMemory, JAVA_INT_UNALIGNED, 0, n);
    }

    @Override
    double largestMagnitude(int from, int n) {
        int[] ints = this.ints;
        MemorySegment.copy(numbers, from, intsInMemory, JAVA_FLOAT_UNALIGNED, 0, n);
        int largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, ints[i] & MAGNITUDE);
        }
        return finite(largest);
    }

    @Override
    void quantize(int from, int n, double largest, int levels) {
        float raise = raise(largest);
        float scale = scale(largest, levels);
        float[] numbers = this.numbers;
        int[] ints = this.ints;
        for (int i = 0; i < n; i++) {
            ints[i] = (int) (numbers[from + i] * raise * scale + INTEGERS - INTEGERS);
        }
        if (levels == BlockQuantization.BYTE_LEVELS) {
            narrow(n);
        } else {
            narrow(HalfBytes.pack(ints, n));
        }
    }

    @Override
    void dequantize(int from, int n, double largest, double weight, int levels) {
        float by = (float) largest * (float) weight;
        if (levels == BlockQuantization.BYTE_LEVELS) {
            widen(n);
        } else {
            int length = HalfBytes.bytes(n);
            widen(length);
            HalfBytes.unpack(ints, n);
        }
        float[] operand = this.operand;
        int[] ints = this.ints;
        float step = 1f / levels;
        for (int i = 0; i < n; i++) {
            operand[from + i] = ints[i] * step * by;
        }
    }

    /** {@return the factor that keeps {@link #scale} from overflow} */
    static float raise(double largest) {
        return largest < SMALL ? RAISE : 1;
    }

    /** {@return the factor after that one, which makes a level of a number} */
    static float scale(double largest, int levels) {
        return levels / ((float) largest * raise(largest));
    }

    /** {@return the number of a magnitude's bits, or NaN if they are those of no finite number} */
    static double finite(int magnitude) {
        return magnitude < INFINITY ? Float.intBitsToFloat(magnitude) : Double.NaN;
    }

    private void narrow(int n) {
        byte[] bytes = this.bytes;
        int[] ints = this.ints;
        for (int i = 0; i < n; i++) {
            bytes[i] = (byte) ints[i];
        }
    }

    private void widen(int n) {
        byte[] bytes = this.bytes;
        int[] ints = this.ints;
        for (int i = 0; i < n; i++) {
            ints[i] = bytes[i];
        }
    }

    @Override
    void magnitudes(long[] into, int n) {
        int[] ints = this.ints;
        MemorySegment.copy(numbers, 0, intsInMemory, JAVA_FLOAT_UNALIGNED, 0, n);
        for (int i = 0; i < n; i++) {
            int magnitude = ints[i] & MAGNITUDE;
            into[i] = magnitude > INFINITY ? MAGNITUDE : magnitude;
        }
    }

    @Override
    int magnitudeBits() {
        return 31;
    }

    @Override
    float single(int i) {
        return numbers[i];
    }

    @Override
    void setOperand(int i, float number, double weight) {
        operand[i] = number * (float) weight;
    }

    @Override
    int compare(double threshold, int n) {
        float[] numbers = this.numbers;
        byte[] bytes = this.bytes;
        float least = (float) threshold;
        int reached = 0;
        boolean isFinite = true;
        for (int i = 0; i < n; i++) {
            float number = numbers[i];
            int code = number >= least ? 1 : number <= -least ? 2 : 0;
            bytes[i] = (byte) code;
            reached += code + 1 >> 1;
            isFinite &= Math.abs(number) <= Float.MAX_VALUE;
        }
        return isFinite ? reached : -1;
    }

    @Override
    void uncompare(double threshold, double weight, int n) {
        float[] operand = this.operand;
        byte[] bytes = this.bytes;
        float positive = (float) threshold * (float) weight;
        for (int i = 0; i < n; i++) {
            operand[i] = bytes[i] == 0 ? 0 : bytes[i] == 1 ? positive : -positive;
        }
    }
}
