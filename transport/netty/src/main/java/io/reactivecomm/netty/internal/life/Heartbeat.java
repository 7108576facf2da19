package io.reactivecomm.netty.internal.life;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.reactivecomm.spi.ProtocolException;
import java.util.BitSet;

/**
 * The heartbeat of a rank, in which it speaks of itself and of others, as a datagram ({@link HeartbeatMac}) and on the control connection.
 *
 * <pre>
 *  0 +---------+---------+-------------------+---------------------+
 *    | Version |  Flags  |  Suspects length  |       Sender        |
 *  8 +---------+---------+-------------------+---------------------+
 *    |                       Sequence number                       |
 * 16 +-----------------------------+-------------------------------+
 *    |  Longest silence, millis    |  Loop held up for, millis     |
 * 24 +-------------------+---------+---------+---------------------+
 *    |    Cuts length    |    Lost length    |       Receiver      |
 * 32 +-------------------+-------------------+---------------------+
 *    |    Held up at: length, then suspects, cuts and lost ranks as bit sets, then
 *    |    at what the loop is held up, then stamps, then what later versions add  ...
 * </pre>
 *
 * <p>The bit sets are as short as their highest rank, so empty where all is well. A receiver ignores what follows the fields that it knows, and takes
 * a beat that ends before its {@link ClockStamps} as one without.
 *
 * @param sequence rises from beat to beat of a sender, on whichever path
 * @param hearsDatagrams whether datagrams of the receiver reach the sender
 * @param silentMillis for how long the sender has not heard whom it has been missing longest
 * @param suspects whom the sender has been missing for a while
 * @param cuts from whom the sender is cut
 * @param lost whom the sender has found lost
 * @param heldUpMillis for how long the sender's loop has not turned, 0 if it does
 * @param heldUpAt what its loop is doing, if it does not turn
 * @param stamps when it was sent, and when the receiver's latest came
 */
public record Heartbeat(
        int sender,
        int receiver,
        long sequence,
        boolean hearsDatagrams,
        int silentMillis,
        BitSet suspects,
        BitSet cuts,
        BitSet lost,
        int heldUpMillis,
        String heldUpAt,
        ClockStamps stamps) {

    /** No beat is longer: three bit sets for 32,768 ranks, and a sentence. */
    static final int MAX_BYTES = 13 << 10;

    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 34;
    private static final int MAX_SET_BYTES = 4096;
    private static final int MAX_TEXT_BYTES = 512;
    private static final byte HEARS_DATAGRAMS = 1;

    /** {@return the same in numbers only} */
    Heartbeat withoutText() {
        return new Heartbeat(
                sender,
                receiver,
                sequence,
                hearsDatagrams,
                silentMillis,
                suspects,
                cuts,
                lost,
                heldUpMillis,
                "",
                stamps);
    }

    ByteBuf write(ByteBuf into) {
        byte[] suspectBits = bits(suspects);
        byte[] cutBits = bits(cuts);
        byte[] lostBits = bits(lost);
        byte[] text = heldUpAt.getBytes(UTF_8);
        int textLength = Math.min(text.length, MAX_TEXT_BYTES);
        into.writeByte(VERSION).writeByte(hearsDatagrams ? HEARS_DATAGRAMS : 0).writeShortLE(suspectBits.length);
        into.writeIntLE(sender).writeLongLE(sequence).writeIntLE(silentMillis).writeIntLE(heldUpMillis);
        into.writeShortLE(cutBits.length)
                .writeShortLE(lostBits.length)
                .writeIntLE(receiver)
                .writeShortLE(textLength);
        into.writeBytes(suspectBits).writeBytes(cutBits).writeBytes(lostBits).writeBytes(text, 0, textLength);
        return stamps.write(into);
    }

    /** What does not fit is left out: of the ranks beyond only their own word counts. */
    private static byte[] bits(BitSet ranks) {
        return ranks.get(0, 8 * MAX_SET_BYTES).toByteArray();
    }

    /**
     * Reads a beat; bytes behind it are left.
     *
     * @throws ProtocolException if none stands there
     */
    static Heartbeat read(ByteBuf from) {
        if (from.readableBytes() < FIXED_BYTES || from.getByte(from.readerIndex()) != VERSION) {
            throw new ProtocolException("no heartbeat of this version: version="
                    + (from.isReadable() ? from.getByte(from.readerIndex()) : "none") + ", known=" + VERSION
                    + ", there=" + from.readableBytes());
        }
        byte flags = from.skipBytes(1).readByte();
        int suspectBytes = from.readUnsignedShortLE();
        int sender = from.readIntLE();
        long sequence = from.readLongLE();
        int silentMillis = from.readIntLE();
        int heldUpMillis = from.readIntLE();
        int cutBytes = from.readUnsignedShortLE();
        int lostBytes = from.readUnsignedShortLE();
        int receiver = from.readIntLE();
        int textBytes = from.readUnsignedShortLE();
        if (Math.max(suspectBytes, Math.max(cutBytes, lostBytes)) > MAX_SET_BYTES
                || textBytes > MAX_TEXT_BYTES
                || suspectBytes + cutBytes + lostBytes + textBytes > from.readableBytes()) {
            throw new ProtocolException(
                    "heartbeat of impossible lengths: sender=" + sender + ", suspects=" + suspectBytes + ", cuts="
                            + cutBytes + ", lost=" + lostBytes
                            + ", text=" + textBytes + ", there=" + from.readableBytes());
        }
        return new Heartbeat(
                sender,
                receiver,
                sequence,
                (flags & HEARS_DATAGRAMS) != 0,
                silentMillis,
                set(from, suspectBytes),
                set(from, cutBytes),
                set(from, lostBytes),
                heldUpMillis,
                from.readString(textBytes, UTF_8),
                ClockStamps.read(from));
    }

    private static BitSet set(ByteBuf from, int length) {
        byte[] bits = new byte[length];
        from.readBytes(bits);
        return BitSet.valueOf(bits);
    }
}
