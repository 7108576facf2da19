package io.reactivecomm.compression;

import java.util.Arrays;

/**
 * The exact selection of the k largest magnitudes among many numbers, in memory of a fixed size.
 *
 * <p>A radix select: the numbers are counted by the highest digit of their magnitude, which tells the digit of the k-th. Those that share
 * it are counted by the next digit, and so on, until all that share the digits so far are wanted, or there is no digit left. Then
 * everything above these digits is chosen, and of what has them the first so many.
 *
 * <p><b>Threads.</b> Each thread has its own.
 */
final class MagnitudeSelection {

    private static final int DIGIT_BITS = 11;

    private static final ThreadScratch<MagnitudeSelection> THREADS = new ThreadScratch<>(MagnitudeSelection::new);

    private final long[] counts = new long[1 << DIGIT_BITS];
    private final long[] magnitudes = new long[Strip.LENGTH];
    private final int[] chosen = new int[Strip.LENGTH];

    /** The bits of a magnitude below the digits that are known. */
    private int shift;

    /** The digits of the k-th, as far as they are known. */
    private long digits;

    /** How many with these digits are still to be chosen. */
    private long wanted;

    private MagnitudeSelection() {}

    static MagnitudeSelection ofThread() {
        return THREADS.get();
    }

    /** Finds the k-th largest of {@code count} numbers from {@code first} on; k is from 1 to the count. */
    void find(Source source, Strip strip, long first, long count, long k) {
        shift = strip.magnitudeBits();
        digits = 0;
        wanted = k;
        long candidates = count;
        while (shift > 0 && wanted < candidates) {
            int bits = Math.min(DIGIT_BITS, shift);
            count(source, strip, first, count, bits);
            int digit = (1 << bits) - 1;
            while (counts[digit] < wanted) {
                wanted -= counts[digit];
                digit--;
            }
            candidates = counts[digit];
            digits = digits << bits | digit;
            shift -= bits;
        }
    }

    /** Counts those that have the known digits by their next one. */
    private void count(Source source, Strip strip, long first, long count, int bits) {
        Arrays.fill(counts, 0);
        int next = shift - bits;
        long mask = (1L << bits) - 1;
        for (long at = 0; at < count; at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            strip.magnitudes(magnitudes, n);
            for (int i = 0; i < n; i++) {
                long magnitude = magnitudes[i];
                // Both are non-negative numbers of at most 63 bits, so a shift by the whole width leaves 0.
                if (magnitude >>> shift == digits) {
                    counts[(int) (magnitude >>> next & mask)]++;
                }
            }
        }
    }

    /** Chooses among the first {@code n} of the strip, which come in their order, and returns how many; {@link #chosen} tells which. */
    int choose(Strip strip, int n) {
        strip.magnitudes(magnitudes, n);
        int found = 0;
        for (int i = 0; i < n; i++) {
            long upper = magnitudes[i] >>> shift;
            if (upper > digits) {
                chosen[found++] = i;
            } else if (upper == digits && wanted > 0) {
                wanted--;
                chosen[found++] = i;
            }
        }
        return found;
    }

    int chosen(int i) {
        return chosen[i];
    }
}
