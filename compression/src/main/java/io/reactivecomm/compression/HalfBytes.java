package io.reactivecomm.compression;

/**
 * The half bytes of a block. The first half of its numbers are the lower ones, the second half the upper ones, so that numbers that lie side by side
 * stay so; of an odd number the last upper one is 0. Five numbers in three bytes:
 *
 * <pre>
 *          7        4 3        0
 *         +----------+----------+
 *   0     |    q3    |    q0    |
 *   1     |    q4    |    q1    |
 *   2     |    0     |    q2    |
 *         +----------+----------+
 * </pre>
 */
final class HalfBytes {

    private static final int BITS = 4;
    private static final int LOWER = 0xF;

    private HalfBytes() {}

    /** {@return the bytes of so many numbers} */
    static int bytes(int n) {
        return (n + 1) / 2;
    }

    /** Makes of {@code n} numbers from -8 to 7 as many half bytes, and returns how many bytes those are. */
    static int pack(int[] numbers, int n) {
        int half = bytes(n);
        int pairs = n - half;
        for (int i = 0; i < pairs; i++) {
            numbers[i] = numbers[i] & LOWER | numbers[half + i] << BITS;
        }
        for (int i = pairs; i < half; i++) {
            numbers[i] &= LOWER;
        }
        return half;
    }

    /** Makes of as many bytes as {@code n} numbers take those numbers. */
    static void unpack(int[] numbers, int n) {
        int half = bytes(n);
        int pairs = n - half;
        for (int i = 0; i < pairs; i++) {
            numbers[half + i] = numbers[i] >> BITS;
        }
        for (int i = 0; i < half; i++) {
            numbers[i] = numbers[i] << (Integer.SIZE - BITS) >> (Integer.SIZE - BITS);
        }
    }

    /** {@return whether the half byte that belongs to no number is 0} */
    static boolean endsInZero(byte last, int n) {
        return n % 2 == 0 || (last & 0xFF) >> BITS == 0;
    }
}
