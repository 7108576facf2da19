package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A strip of doubles, with the loops of {@link FloatStrip} as they are written first: FLOAT64 is rarely compressed. */
final class DoubleStrip extends Strip {

    private static final long MAGNITUDE = Long.MAX_VALUE;
    private static final long INFINITY = 0x7FF0_0000_0000_0000L;

    /** As in {@link FloatStrip}. */
    private static final double SMALL = 0x1p-512;

    private static final double RAISE = 0x1p512;

    private final double[] numbers = new double[LENGTH];
    private final double[] operand = new double[LENGTH];
    private final int[] ints = new int[LENGTH];

    @Override
    void read(DType type, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, numbers, 0, n);
    }

    @Override
    void readOperand(DType type, MemorySegment source, long from, int n) {
        MemorySegment.copy(source, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, operand, 0, n);
    }

    @Override
    void write(DType type, MemorySegment target, long from, int n) {
        MemorySegment.copy(numbers, 0, target, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, n);
    }

    @Override
    void writeOperand(DType type, MemorySegment target, long from, int n) {
        MemorySegment.copy(operand, 0, target, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, n);
    }

    @Override
    void clear(int from, int to) {
        Arrays.fill(numbers, from, to, 0);
    }

    @Override
    void add(int n) {
        double[] numbers = this.numbers;
        double[] operand = this.operand;
        for (int i = 0; i < n; i++) {
            numbers[i] += operand[i];
        }
    }

    @Override
    void subtract(int n) {
        double[] numbers = this.numbers;
        double[] operand = this.operand;
        for (int i = 0; i < n; i++) {
            numbers[i] -= operand[i];
        }
    }

    @Override
    void fillOperand(double number, int n) {
        Arrays.fill(operand, 0, n, number);
    }

    @Override
    void addSquares(double[] sums, int n) {
        double[] numbers = this.numbers;
        for (int i = 0; i < n; i++) {
            sums[i % Norm.SUMS] += numbers[i] * numbers[i];
        }
    }

    @Override
    double rounded(double number) {
        return number;
    }

    @Override
    void packSigns(int n) {
        for (int i = 0; i < n; i++) {
            bytes[i] = (byte) (numbers[i] < 0 ? 0 : 1);
        }
        SignBits.pack(bytes, n);
    }

    @Override
    void unpackSigns(double scale, double weight, int n) {
        double positive = scale * weight;
        for (int i = 0; i < n; i++) {
            boolean isSet = (bytes[i / Byte.SIZE] << (i % Byte.SIZE) & 0x80) != 0;
            operand[i] = isSet ? positive : -positive;
        }
    }

    @Override
    double largestMagnitude(int from, int n) {
        long largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, Double.doubleToRawLongBits(numbers[from + i]) & MAGNITUDE);
        }
        return largest < INFINITY ? Double.longBitsToDouble(largest) : Double.NaN;
    }

    @Override
    void quantize(int from, int n, double largest, int levels) {
        double raise = largest < SMALL ? RAISE : 1;
        double scale = levels / (largest * raise);
        for (int i = 0; i < n; i++) {
            ints[i] = (int) Math.rint(numbers[from + i] * raise * scale);
        }
        int length = levels == BlockQuantization.BYTE_LEVELS ? n : HalfBytes.pack(ints, n);
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ints[i];
        }
    }

    @Override
    void dequantize(int from, int n, double largest, double weight, int levels) {
        boolean isByte = levels == BlockQuantization.BYTE_LEVELS;
        int length = isByte ? n : HalfBytes.bytes(n);
        for (int i = 0; i < length; i++) {
            ints[i] = bytes[i];
        }
        if (!isByte) {
            HalfBytes.unpack(ints, n);
        }
        double by = largest * weight;
        double step = 1.0 / levels;
        for (int i = 0; i < n; i++) {
            operand[from + i] = ints[i] * step * by;
        }
    }

    @Override
    void magnitudes(long[] into, int n) {
        for (int i = 0; i < n; i++) {
            long magnitude = Double.doubleToRawLongBits(numbers[i]) & MAGNITUDE;
            into[i] = magnitude > INFINITY ? MAGNITUDE : magnitude;
        }
    }

    @Override
    int magnitudeBits() {
        return 63;
    }

    @Override
    float single(int i) {
        return (float) numbers[i];
    }

    @Override
    void setOperand(int i, float number, double weight) {
        operand[i] = number * weight;
    }

    @Override
    int compare(double threshold, int n) {
        int reached = 0;
        boolean isFinite = true;
        for (int i = 0; i < n; i++) {
            double number = numbers[i];
            int code = number >= threshold ? 1 : number <= -threshold ? 2 : 0;
            bytes[i] = (byte) code;
            reached += code + 1 >> 1;
            isFinite &= Math.abs(number) <= Double.MAX_VALUE;
        }
        return isFinite ? reached : -1;
    }

    @Override
    void uncompare(double threshold, double weight, int n) {
        double positive = threshold * weight;
        for (int i = 0; i < n; i++) {
            operand[i] = bytes[i] == 0 ? 0 : bytes[i] == 1 ? positive : -positive;
        }
    }
}
