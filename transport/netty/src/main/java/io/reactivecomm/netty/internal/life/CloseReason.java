package io.reactivecomm.netty.internal.life;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.reactivecomm.spi.ProtocolException;
import java.util.Arrays;

/**
 * The reason for which a rank ends a control connection otherwise than in good order. It is the last that comes on it.
 *
 * <p>The system delivers them even to a process that was stopped when they were written.
 *
 * @param text the cause, in words for an error message
 */
record CloseReason(Kind kind, String text) {

    private static final int MAX_TEXT_BYTES = 4096;

    /** The kinds of reasons; the order is the code on the wire. */
    enum Kind {
        /** The receiver was found lost. */
        LOST,
        /** Sender and receiver are cut. */
        CUT,
        /** The sender itself is at its end. */
        DYING
    }

    ByteBuf write(ByteBuf into) {
        byte[] words = text.getBytes(UTF_8);
        return into.writeByte(kind.ordinal()).writeBytes(Arrays.copyOf(words, Math.min(words.length, MAX_TEXT_BYTES)));
    }

    /** @throws ProtocolException if there are none */
    static CloseReason read(ByteBuf from) {
        int code = from.isReadable() ? from.readByte() : -1;
        if (code < 0 || code >= Kind.values().length || from.readableBytes() > MAX_TEXT_BYTES) {
            throw new ProtocolException(
                    "unknown reason for a close: kind=" + code + ", known=" + Kind.values().length + ", textBytes="
                            + from.readableBytes() + ", most="
                            + MAX_TEXT_BYTES);
        }
        return new CloseReason(Kind.values()[code], from.readString(from.readableBytes(), UTF_8));
    }
}
