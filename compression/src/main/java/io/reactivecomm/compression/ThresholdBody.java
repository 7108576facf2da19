package io.reactivecomm.compression;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The list or map of a {@link Threshold}'s part, read in the order of its elements. In between, an element is a byte of 0, 1 or 2, as
 * {@link Strip#compare} makes them.
 */
final class ThresholdBody {

    /** An index has 31 bits, and the sign one. */
    static final long MOST_IN_PART = 1L << 31;

    private static final int IN_A_BYTE = 4;
    private static final int CODE_BITS = 2;
    private static final int CODE = 0b11;

    /** The bits of a map's byte that are set together in no element. */
    private static final int LOWER_BITS = 0b0101_0101;

    private final MemorySegment part;
    private final long bodyAt;
    private final boolean isList;

    /** The place in a list up to which it was read. */
    private long next;

    /** The body of a checked part, which ends with it. */
    ThresholdBody(MemorySegment part, long bodyAt, long count) {
        this.part = part;
        this.bodyAt = bodyAt;
        this.isList = part.byteSize() - bodyAt < mapBytes(count);
        this.next = bodyAt;
    }

    static long mapBytes(long count) {
        return Math.ceilDiv(count, (long) IN_A_BYTE);
    }

    /** {@return the bytes of the shorter form} */
    static long bytes(long reaching, long count) {
        return Math.min(reaching * Integer.BYTES, mapBytes(count));
    }

    private static boolean isList(long reaching, long count) {
        return reaching * Integer.BYTES < mapBytes(count);
    }

    /** {@return how many of {@code count} numbers from {@code first} on reach the threshold; a negative number if one is not finite} */
    static long reaching(Source source, Strip strip, long first, long count, double tau) {
        long reaching = 0;
        for (long at = 0; at < count; at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            int more = strip.compare(tau, n);
            if (more < 0) {
                return -1;
            }
            reaching += more;
        }
        return reaching;
    }

    /** Writes the body of a part. */
    static void write(
            Source source,
            Strip strip,
            long first,
            long count,
            double tau,
            long reaching,
            MemorySegment encoded,
            long bodyAt) {
        long to = bodyAt;
        for (long at = 0; at < count; at += Strip.LENGTH) {
            int n = (int) Math.min(Strip.LENGTH, count - at);
            source.load(strip, first + at, n);
            strip.compare(tau, n);
            if (isList(reaching, count)) {
                to = list(strip.bytes, at, n, encoded, to);
            } else {
                int length = map(strip.bytes, n);
                strip.writeBytes(encoded, to, length);
                to += length;
            }
        }
    }

    private static long list(byte[] codes, long first, int n, MemorySegment encoded, long at) {
        long to = at;
        for (int i = 0; i < n; i++) {
            if (codes[i] != 0) {
                LittleEndian.putInt(encoded, to, (int) (first + i) | (codes[i] == 2 ? Integer.MIN_VALUE : 0));
                to += Integer.BYTES;
            }
        }
        return to;
    }

    private static int map(byte[] codes, int n) {
        int length = (int) mapBytes(n);
        Arrays.fill(codes, n, length * IN_A_BYTE, (byte) 0);
        for (int i = 0; i < length; i++) {
            int from = i * IN_A_BYTE;
            codes[i] = (byte) (codes[from] | codes[from + 1] << 2 | codes[from + 2] << 4 | codes[from + 3] << 6);
        }
        return length;
    }

    /** Reads the next {@code n} elements, from {@code first} on, into the codes. */
    void read(byte[] codes, long first, int n) {
        if (isList) {
            readList(codes, first, n);
        } else {
            for (int i = 0; i < n; i++) {
                long element = first + i;
                int four = part.get(JAVA_BYTE, bodyAt + element / IN_A_BYTE);
                codes[i] = (byte) (four >> element % IN_A_BYTE * CODE_BITS & CODE);
            }
        }
    }

    private void readList(byte[] codes, long first, int n) {
        Arrays.fill(codes, 0, n, (byte) 0);
        while (next < part.byteSize()) {
            int entry = LittleEndian.intAt(part, next);
            long place = (entry & Integer.MAX_VALUE) - first;
            if (place >= n) {
                return;
            }
            codes[(int) place] = (byte) (entry < 0 ? 2 : 1);
            next += Integer.BYTES;
        }
    }

    /** Checks the body of a part whose length fits its numbers. */
    static void check(String codec, MemorySegment part, long bodyAt, long reaching, long count) {
        if (isList(reaching, count)) {
            checkList(codec, part, bodyAt, count);
        } else {
            checkMap(codec, part, bodyAt, reaching, count);
        }
    }

    private static void checkList(String codec, MemorySegment part, long bodyAt, long count) {
        long previous = -1;
        for (long at = bodyAt; at < part.byteSize(); at += Integer.BYTES) {
            long index = LittleEndian.intAt(part, at) & Integer.MAX_VALUE;
            if (index <= previous || index >= count) {
                throw DecodingException.at(codec, "index=" + index + ", previous=" + previous + ", count=" + count, at);
            }
            previous = index;
        }
    }

    private static void checkMap(String codec, MemorySegment part, long bodyAt, long reaching, long count) {
        long found = 0;
        for (long at = bodyAt; at < part.byteSize(); at++) {
            int four = part.get(JAVA_BYTE, at) & 0xFF;
            if ((four & four >> 1 & LOWER_BITS) != 0) {
                throw DecodingException.at(codec, "map=" + four + " has an element that is neither of 0, 1 and 2", at);
            }
            found += Integer.bitCount(four);
        }
        int used = (int) (count % IN_A_BYTE) * CODE_BITS;
        int last = part.get(JAVA_BYTE, part.byteSize() - 1) & 0xFF;
        if (found != reaching || used != 0 && last >>> used != 0) {
            throw DecodingException.at(
                    codec, "map has " + found + " elements, partReaching=" + reaching + ", count=" + count, bodyAt);
        }
    }
}
