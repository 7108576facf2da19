package io.reactivecomm.shm;

/**
 * The unit that a ring carries: one after the other, each a multiple of eight bytes long, numbers little-endian.
 *
 * <pre>
 *   0 +-----------------------------+-------------------------------+
 *     |     Length (of the body)    |             Kind              |
 *   8 +-----------------------------+-------------------------------+
 *     |                       Body, then zeros                     ...
 *
 *     FRAMES    frames, as {@code FrameWriter} writes them
 *     PAYLOAD   grant (8), then the bytes
 *     LENT      grant (8), offset in the sender's file (8), lease's word (8), lease's place (4), bytes (4), traits (8)
 *     RETURNED  lease's place (8)
 * </pre>
 */
final class Unit {

    static final int HEADER_BYTES = 8;
    static final int ALIGNMENT = 8;

    static final int FRAMES = 1;
    static final int PAYLOAD = 2;
    static final int LENT = 3;
    static final int RETURNED = 4;

    /** Traits of what is lent. */
    static final long SCARCE = 1;

    static final long COPIED = 2;

    static final int GRANT_BYTES = 8;
    static final int LENT_BYTES = 40;
    static final int RETURNED_BYTES = 8;

    private Unit() {}

    /** {@return the length of a unit whose body has that many bytes} */
    static int lengthOf(int bodyBytes) {
        return HEADER_BYTES + (bodyBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
