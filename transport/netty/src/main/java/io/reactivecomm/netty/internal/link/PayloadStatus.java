package io.reactivecomm.netty.internal.link;

import io.reactivecomm.spi.ProtocolException;

/**
 * The status of a payload in the byte behind it, on whichever connection that travels. The sender writes it.
 *
 * <pre>
 *  0 +-------------------------------------------------------------+
 *    |                           Payload                          ...
 *  n +---------+---------------------------------------------------+
 *    | Status  |   the next frame, or on a lane the next payload
 *    +---------+
 * </pre>
 *
 * <p>A payload is read from the sender's memory as it leaves, and the length that its header promised has to follow. So if that memory
 * goes, zeros take its place, and only what comes after them can say so.
 *
 * <p>The order is the code on the wire.
 */
enum PayloadStatus {
    /** The bytes are the sender's. */
    WHOLE,
    /** The sender's memory was gone before all had left: nobody may look at the bytes. */
    LOST;

    static final int BYTES = 1;

    byte code() {
        return (byte) ordinal();
    }

    /** @throws ProtocolException if there is none of that code */
    static PayloadStatus of(int code) {
        return switch (code) {
            case 0 -> WHOLE;
            case 1 -> LOST;
            default ->
                throw new ProtocolException(
                        "unknown status of a payload: status=" + code + ", known=" + values().length);
        };
    }
}
