package io.reactivecomm.netty.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.rendezvous.Rendezvous;

/**
 * A request to the store or a reply of its, all in one layout, behind the header of {@link PacketDecoder}:
 *
 * <pre>
 *  8 +-------------------------------------------------------------+
 *    |                Id (chosen by the requester)                 |
 * 16 +-------------------------------------------------------------+
 *    |                           Number                            |
 * 24 +-----------------------------+-------------------------------+
 *    |         Key length          |         Value length          |
 * 32 +-----------------------------+-------------------------------+
 *    |       Expected length       |           Reserved            |
 * 40 +-----------------------------+-------------------------------+
 *    |                  Key, value, expected value                ...
 * </pre>
 *
 * @param type one of the constants here; requests below 32, replies above
 * @param id which request; a reply repeats it
 * @param number an amount, a sum, a rank or a yes (1) or no (0), as the type has it
 */
record StorePacket(byte type, long id, long number, byte[] key, byte[] value, byte[] expected) {

    /** Waits until somebody watches the job; the answer is the interval in which to publish, in milliseconds. */
    static final byte WATCHED = 10;
    /** Value: what the rank tells watchers. The answer is the next interval; 0 if nobody watches. */
    static final byte PUBLISH = 11;
    /** Of a watcher. Number: the first rank of interest in the upper half, the interval in milliseconds in the lower. */
    static final byte LOOK = 12;

    static final byte SET = 16;
    static final byte GET = 17;
    static final byte ADD = 18;
    static final byte COMPARE_SET = 19;
    static final byte DELETE = 20;
    /** Forgets a {@link #GET}, {@link #AWAIT} or {@link #POP} that is waiting. */
    static final byte CANCEL = 21;
    /** Number: the rank. Value: {@link JoinRequest}. */
    static final byte JOIN = 22;

    static final byte APPEND = 23;
    /** Value: {@link NameList}. */
    static final byte CHECK = 24;
    /** Value: {@link NameList}. Number: how many milliseconds the store waits for them. */
    static final byte AWAIT = 25;
    /** Key: the prefix. Number: how many keys at most. */
    static final byte LIST = 26;

    static final byte PUSH = 27;
    /** Number: how many milliseconds the store waits for a value. */
    static final byte POP = 28;
    /** Returns an {@link #ITEM} that nobody waited for any more; has no reply. */
    static final byte PUT_BACK = 29;
    /** The rank that joined is connected with all others; has no reply. */
    static final byte CONNECTED = 30;

    static final byte VALUE = 32;
    /** Done, or no value. */
    static final byte NONE = 33;

    static final byte SUM = 34;
    /** Value: why, in words. */
    static final byte FAILED = 35;
    /** Value: {@link Roster}. */
    static final byte ROSTER = 36;
    /** Not yet complete. Number: milliseconds waited. Value: the missing ranks, in words. */
    static final byte MISSING = 37;
    /** Value: {@link NameList}. */
    static final byte NAMES = 38;
    /** Key: the queue that the value was in. */
    static final byte ITEM = 39;
    /** A rank of the world has gone; repeats no request's id. Number: the rank. Value: where it was, in words. */
    static final byte WITHOUT = 40;

    /** Value: {@link BoardPacket}. */
    static final byte PAGE = 41;

    static final int FIXED_BYTES = 40;

    /** The longest request. */
    static final int MAX_REQUEST_BYTES =
            FIXED_BYTES + Math.max(Rendezvous.MAX_KEY_BYTES + 2 * Rendezvous.MAX_VALUE_BYTES, NameList.MAX_BYTES);

    /** The longest reply: a roster of more ranks than sockets allow. */
    static final int MAX_REPLY_BYTES = 8 * 1024 * 1024;

    private static final byte[] EMPTY = {};

    static StorePacket of(byte type, long id, long number) {
        return new StorePacket(type, id, number, EMPTY, EMPTY, EMPTY);
    }

    static StorePacket of(byte type, long id, byte[] value) {
        return new StorePacket(type, id, 0, EMPTY, value, EMPTY);
    }

    static StorePacket failed(long id, String text) {
        return of(FAILED, id, text.getBytes(UTF_8));
    }

    static StorePacket keyed(byte type, long id, long number, String key) {
        return new StorePacket(type, id, number, key.getBytes(UTF_8), EMPTY, EMPTY);
    }

    String text() {
        return new String(value, UTF_8);
    }

    ByteBuf encode(ByteBufAllocator allocator) {
        int length = FIXED_BYTES + key.length + value.length + expected.length;
        return allocator
                .buffer(length, length)
                .writeIntLE(length)
                .writeByte(type)
                .writeMedium(0)
                .writeLongLE(id)
                .writeLongLE(number)
                .writeIntLE(key.length)
                .writeIntLE(value.length)
                .writeIntLE(expected.length)
                .writeIntLE(0)
                .writeBytes(key)
                .writeBytes(value)
                .writeBytes(expected);
    }

    /**
     * {@return the packet in those bytes, which are one whole packet}
     *
     * @throws ProtocolException if they are not
     */
    static StorePacket decode(ByteBuf bytes) {
        if (bytes.readableBytes() < FIXED_BYTES) {
            throw new ProtocolException(
                    "store packet cut short: needs=" + FIXED_BYTES + ", there=" + bytes.readableBytes());
        }
        ByteBuf body = bytes.skipBytes(PacketDecoder.TYPE_OFFSET);
        byte type = body.readByte();
        body.skipBytes(3);
        long id = body.readLongLE();
        long number = body.readLongLE();
        int keyLength = body.readIntLE();
        int valueLength = body.readIntLE();
        int expectedLength = body.readIntLE();
        body.skipBytes(4);
        boolean fits = keyLength >= 0
                && valueLength >= 0
                && expectedLength >= 0
                && (long) keyLength + valueLength + expectedLength == body.readableBytes();
        if (!fits) {
            throw new ProtocolException("store packet of impossible lengths: type=" + type + ", key=" + keyLength
                    + ", value=" + valueLength + ", expected=" + expectedLength + ", there=" + body.readableBytes());
        }
        return new StorePacket(
                type, id, number, take(body, keyLength), take(body, valueLength), take(body, expectedLength));
    }

    private static byte[] take(ByteBuf from, int length) {
        return length == 0 ? EMPTY : ByteBufUtil.getBytes(from.readSlice(length));
    }
}
