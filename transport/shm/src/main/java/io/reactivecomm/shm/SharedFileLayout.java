package io.reactivecomm.shm;

/**
 * The layout of a rank's {@link SharedFile}. The rank itself writes all of it; the others of its host only read. Each rank of the world
 * has a <em>seat</em> there, the owner and ranks of other hosts included; but memory is behind those alone that are in use.
 *
 * <pre>
 *            0 +----------------------------------------------+
 *              | Magic (8)   Version (8)   Nonce (16)         |  before the file is told to anybody
 *          128 +----------------------------------------------+
 *              | Naps (8): odd while the owner sleeps         |  each time it goes to sleep or wakes up
 *         4096 +----------------------------------------------+
 *              |  one control block for each seat, 4096 bytes |
 *              |     0  Tail (8): bytes sent to that rank     |  after the bytes are in the ring
 *              |   128  Head (8): bytes read from that rank   |  after the bytes have been looked at
 *              |   256  Leases (8 each): what that rank may   |  when something is lent, and when it is taken back
 *              |        read; 0 is nothing                    |
 *              +----------------------------------------------+
 *              |  one ring for each seat: what was sent       |
 *              +----------------------------------------------+
 *              |  heap: tensors, and copies of what others    |
 *              |  are to read                                 |
 *              +----------------------------------------------+
 * </pre>
 *
 * <p>Numbers are in the machine's order: both sides are one machine. What is written often by one side and read by the other lies 128 bytes
 * apart, because processors fetch cache lines in pairs.
 *
 * <p><b>Cost.</b> 4 KiB, and for each other rank of the host a control block and a ring, 132 KiB. That is 136 KiB a rank for two ranks, 1.9
 * MiB for 16 (31 MiB for the host), 8.1 MiB for 64 (520 MiB for the host). It is so however many ranks there are on other hosts.
 *
 * @param seats ranks of the world
 * @param ringBytes the size of a ring, a power of two
 * @param fileBytes the size of the file
 */
record SharedFileLayout(int seats, int ringBytes, long fileBytes) {

    static final long MAGIC = 0x52_43_4f_4d_4d_53_48_4dL;

    /** Of all that is drawn above, and of {@link Unit}. */
    static final long VERSION = 2;

    static final long MAGIC_OFFSET = 0;
    static final long VERSION_OFFSET = 8;
    static final long NONCE_OFFSET = 16;
    static final int NONCE_BYTES = 16;
    static final long NAPS_OFFSET = 128;
    static final long TAIL_OFFSET = 0;
    static final long HEAD_OFFSET = 128;
    static final long LEASES_OFFSET = 256;

    /** Payloads that one rank may be reading at a time. */
    static final int LEASES = 256;

    static final long CONTROL_BLOCK_BYTES = 4096;
    private static final long PAGE_BYTES = 4096;

    /**
     * Holds an opening with the 64 KiB that may travel with it, and nearly as much before it. What does not fit goes round in bits, and a
     * writer that sleeps meanwhile may find out a millisecond late that there is room.
     */
    private static final int RING_BYTES = 128 << 10;

    /** {@return the layout for so many ranks on a machine with that much memory} */
    static SharedFileLayout of(int seats, long machineBytes) {
        SharedFileLayout least = new SharedFileLayout(seats, RING_BYTES, 0);
        return new SharedFileLayout(seats, RING_BYTES, pages(least.heapFrom() + machineBytes));
    }

    private static long pages(long bytes) {
        return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** {@return where the control block of that seat begins} */
    long controlBlock(int seat) {
        return PAGE_BYTES + seat * CONTROL_BLOCK_BYTES;
    }

    /** {@return where the ring to that seat begins} */
    long ring(int seat) {
        return controlBlock(seats) + (long) seat * ringBytes;
    }

    /** {@return where the heap begins} */
    long heapFrom() {
        return ring(seats);
    }
}
