package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.rendezvous.Rendezvous;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Several keys in one packet's value:
 *
 * <pre>
 *  0 +-----------------------------+-------------------------------+
 *    |            Names            |         Name's length         |
 *  8 +-----------------------------+-------------------------------+
 *    |      Name, then the next one's length and name, and so on  ...
 * </pre>
 */
final class NameList {

    /** The longest list. */
    static final int MAX_BYTES = 4 + Rendezvous.MAX_KEYS * (4 + Rendezvous.MAX_KEY_BYTES);

    private static final int LISTED_NAMES = 16;

    private NameList() {}

    /**
     * {@return the list as it travels, each name once}
     *
     * @throws RendezvousException if there are too many, or one is too long
     */
    static byte[] encode(Collection<String> names) {
        Collection<String> distinct = new LinkedHashSet<>(names);
        if (distinct.size() > Rendezvous.MAX_KEYS) {
            throw new RendezvousException("too many keys for one request to the store: keys=" + distinct.size()
                    + ", most=" + Rendezvous.MAX_KEYS + "; ask for fewer at a time");
        }
        ByteBuf into = Unpooled.buffer().writeIntLE(distinct.size());
        for (String name : distinct) {
            byte[] bytes = name.getBytes(UTF_8);
            if (bytes.length > Rendezvous.MAX_KEY_BYTES) {
                throw tooLong(bytes.length);
            }
            into.writeIntLE(bytes.length).writeBytes(bytes);
        }
        return ByteBufUtil.getBytes(into);
    }

    static RendezvousException tooLong(int lengthBytes) {
        return new RendezvousException("key is too long for the store: bytes=" + lengthBytes + ", most="
                + Rendezvous.MAX_KEY_BYTES + "; use a shorter one");
    }

    static String limitOutOfRange(long limit) {
        return "cannot list so many keys of the store: limit=" + limit + "; choose 1 to " + Rendezvous.MAX_KEYS;
    }

    /** @throws ProtocolException if that is no list */
    static List<String> decode(byte[] bytes) {
        ByteBuf from = Unpooled.wrappedBuffer(bytes);
        int count = bytes.length < 4 ? -1 : from.readIntLE();
        if (count < 0 || count > Rendezvous.MAX_KEYS) {
            throw new ProtocolException("list of impossible size: names=" + count + ", most=" + Rendezvous.MAX_KEYS
                    + ", bytes=" + bytes.length);
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = from.readableBytes() < 4 ? -1 : from.readIntLE();
            if (length < 0 || length > Math.min(Rendezvous.MAX_KEY_BYTES, from.readableBytes())) {
                throw new ProtocolException(
                        "list cut short: name=" + i + ", length=" + length + ", there=" + from.readableBytes());
            }
            names.add(from.readString(length, UTF_8));
        }
        if (from.isReadable()) {
            throw new ProtocolException("bytes behind a list: names=" + count + ", behind=" + from.readableBytes());
        }
        return names;
    }

    /** {@return the names for a message: the first few, and how many more there are} */
    static String text(Collection<String> names) {
        List<String> first = names.stream().limit(LISTED_NAMES).toList();
        int more = names.size() - first.size();
        return first + (more > 0 ? " and " + more + " more" : "");
    }
}
