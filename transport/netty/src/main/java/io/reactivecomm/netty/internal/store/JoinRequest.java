package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactivecomm.spi.ProtocolException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The statement of a rank that joins.
 *
 * <pre>
 *  0 +-----------------------------+-------------------------------+
 *    |    Entry ({@link Roster}), then the number of choices      ...
 *    +-----------------------------+-------------------------------+
 *    |        Name's length        |         Text's length         |
 *    +-----------------------------+-------------------------------+
 *    |           Name and text, then the next choice, and so on   ...
 * </pre>
 *
 * @param entry where it listens
 * @param choices what must be the same on all ranks, by the name of its variable
 */
public record JoinRequest(Roster.Entry entry, Map<String, String> choices) {

    /** More than the library has. */
    private static final int MAX_CHOICES = 32;

    /** Four bytes for each character of the longest. */
    private static final int MAX_TEXT_BYTES = 4096;

    byte[] encode() {
        ByteBuf into = Unpooled.buffer().writeBytes(entry.encode()).writeIntLE(choices.size());
        choices.forEach((name, text) -> {
            byte[] nameBytes = name.getBytes(UTF_8);
            byte[] textBytes = text.getBytes(UTF_8);
            into.writeIntLE(nameBytes.length).writeIntLE(textBytes.length);
            into.writeBytes(nameBytes).writeBytes(textBytes);
        });
        return ByteBufUtil.getBytes(into);
    }

    /** @throws ProtocolException if that is no arrival */
    static JoinRequest decode(byte[] bytes) {
        ByteBuf from = Unpooled.wrappedBuffer(bytes);
        Roster.Entry entry = Roster.Entry.read(from);
        int count = from.readableBytes() < 4 ? -1 : from.readIntLE();
        if (count < 0 || count > MAX_CHOICES) {
            throw new ProtocolException("impossible number of choices: choices=" + count + ", most=" + MAX_CHOICES
                    + ", rank=" + entry.rank());
        }
        Map<String, String> choices = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            if (from.readableBytes() < 8) {
                throw new ProtocolException("choices cut short: choice=" + i + ", rank=" + entry.rank());
            }
            int nameLength = from.readIntLE();
            int textLength = from.readIntLE();
            choices.put(text(from, nameLength), text(from, textLength));
        }
        return new JoinRequest(entry, Collections.unmodifiableMap(choices));
    }

    private static String text(ByteBuf from, int length) {
        if (length < 0 || length > Math.min(MAX_TEXT_BYTES, from.readableBytes())) {
            throw new ProtocolException("choice of impossible length: length=" + length + ", most=" + MAX_TEXT_BYTES
                    + ", there=" + from.readableBytes());
        }
        return from.readString(length, UTF_8);
    }
}
