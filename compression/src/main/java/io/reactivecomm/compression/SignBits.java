package io.reactivecomm.compression;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bits of signs: eight in a byte, the first in the highest bit, as NumPy's {@code packbits} has them. A bit of 1 stands for a number
 * that is not negative.
 *
 * <p>Eight bytes of 0 or 1 become one in a multiplication, whose factor moves the k-th byte's bit from place 8k to place 63 - k; no two
 * products meet, so nothing is carried. The way back is a table.
 */
final class SignBits {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long GATHER = 0x8040_2010_0804_0201L;

    /** For each byte the eight signs of its bits: the top bit where the bit is 0. */
    private static final int[] SIGNS = new int[256 * Byte.SIZE];

    static {
        for (int i = 0; i < SIGNS.length; i++) {
            int bits = i / Byte.SIZE;
            SIGNS[i] = ~bits << (Integer.SIZE - Byte.SIZE + i % Byte.SIZE) & Integer.MIN_VALUE;
        }
    }

    private SignBits() {}

    /** {@return the bytes that so many bits take} */
    static long bytes(long count) {
        return Math.ceilDiv(count, (long) Byte.SIZE);
    }

    /** Makes of the first {@code n} bytes, which are 0 or 1, as many bits in the first bytes; what is left of the last byte is 0. */
    static void pack(byte[] bytes, int n) {
        int length = (int) bytes(n);
        for (int i = n; i < length * Byte.SIZE; i++) {
            bytes[i] = 0;
        }
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ((long) LONGS.get(bytes, i * Byte.SIZE) * GATHER >>> (Long.SIZE - Byte.SIZE));
        }
    }

    /** Makes of each of {@code n} bits the bits of a float, with the sign turned where the bit is 0. Fills up the last eight. */
    static void unpack(byte[] bytes, int n, int positive, int[] into) {
        int length = (int) bytes(n);
        int[] signs = SIGNS;
        for (int i = 0; i < length; i++) {
            int from = (bytes[i] & 0xFF) * Byte.SIZE;
            int to = i * Byte.SIZE;
            into[to] = positive ^ signs[from];
            into[to + 1] = positive ^ signs[from + 1];
            into[to + 2] = positive ^ signs[from + 2];
            into[to + 3] = positive ^ signs[from + 3];
            into[to + 4] = positive ^ signs[from + 4];
            into[to + 5] = positive ^ signs[from + 5];
            into[to + 6] = positive ^ signs[from + 6];
            into[to + 7] = positive ^ signs[from + 7];
        }
    }

    /** {@return whether what is left of the last byte is 0} */
    static boolean endsInZeros(byte last, long count) {
        int used = (int) (count % Byte.SIZE);
        return used == 0 || (last & 0xFF >>> used) == 0;
    }
}
