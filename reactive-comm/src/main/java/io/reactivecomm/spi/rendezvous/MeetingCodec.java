package io.reactivecomm.spi.rendezvous;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The form of a {@link MeetingRecord}: {@value Meeting#RECORD_BYTES} bytes, in network order, zero behind the body. The sending rank writes all of it.
 *
 * <pre>
 *    0               4       5       6       7       8
 *    +---------------+-------+-------+-------+-------+
 *    |     Magic     |Version| Round | Kind  | Zero  |
 *  8 +---------------+-------+-------+-------+-------+
 *    |     Rank      |             Size              |
 * 16 +---------------+---------------+---------------+
 *    | Body's length |             Body             ...
 *    +---------------+---------------+
 *
 *    Kind 0, hello        flags (1: bit 0 plaintext, bit 1 token), machine (32), number of addresses (1), each as an address
 *    Kind 1, store        address, port (4), token (the rest, ASCII; none if empty)
 *    Kind 2, ready        nothing
 *    Kind 3, failure      culprit (4), text (the rest, UTF-8)
 *    address              its length, 4 or 16 (1), its bytes
 * </pre>
 *
 * <p><b>Errors.</b> {@link RendezvousException} for what no rank of this world wrote. It shows no bytes: a token may be among them.
 */
public final class MeetingCodec {

    /** Of the digest of its name, as hexadecimal digits. */
    public static final int MACHINE_CHARS = 64;

    /** More than a machine has networks by which others reach it. */
    public static final int MAX_ADDRESSES = 32;

    /** What fits behind a failure's head. */
    public static final int MAX_TEXT_BYTES = 900;

    private static final int MAGIC = 0x5243_4D54;
    private static final byte VERSION = 1;
    private static final int HEAD_BYTES = 20;
    private static final int MACHINE_BYTES = MACHINE_CHARS / 2;

    private static final byte HELLO = 0;
    private static final byte STORE = 1;
    private static final byte READY = 2;
    private static final byte FAILURE = 3;

    private static final byte PLAINTEXT = 1;
    private static final byte TOKEN = 2;

    private MeetingCodec() {}

    /**
     * {@return the record's bytes}
     *
     * @param round from 1
     */
    public static byte[] encode(MeetingRecord record, int round) {
        ByteBuffer bytes = ByteBuffer.allocate(Meeting.RECORD_BYTES);
        bytes.putInt(MAGIC).put(VERSION).put((byte) round).put(kind(record)).put((byte) 0);
        bytes.putInt(record.rank()).putInt(record.size()).putInt(0);
        switch (record) {
            case MeetingRecord.Hello hello -> putHello(bytes, hello);
            case MeetingRecord.Store store -> {
                putAddress(bytes, store.address());
                bytes.putInt(store.port())
                        .put(store.token() == null ? new byte[0] : store.token().getBytes(US_ASCII));
            }
            case MeetingRecord.Ready ignored -> {}
            case MeetingRecord.Failure failure ->
                bytes.putInt(failure.culprit()).put(text(failure.text()));
        }
        bytes.putInt(HEAD_BYTES - Integer.BYTES, bytes.position() - HEAD_BYTES);
        return bytes.array();
    }

    private static byte kind(MeetingRecord record) {
        return switch (record) {
            case MeetingRecord.Hello ignored -> HELLO;
            case MeetingRecord.Store ignored -> STORE;
            case MeetingRecord.Ready ignored -> READY;
            case MeetingRecord.Failure ignored -> FAILURE;
        };
    }

    private static void putHello(ByteBuffer bytes, MeetingRecord.Hello hello) {
        List<InetAddress> told = hello.addresses()
                .subList(0, Math.min(MAX_ADDRESSES, hello.addresses().size()));
        bytes.put((byte) ((hello.plaintext() ? PLAINTEXT : 0) | (hello.token() ? TOKEN : 0)));
        bytes.put(HexFormat.of().parseHex(hello.machine()), 0, MACHINE_BYTES);
        bytes.put((byte) told.size());
        told.forEach(address -> putAddress(bytes, address));
    }

    private static void putAddress(ByteBuffer bytes, InetAddress address) {
        byte[] raw = address.getAddress();
        bytes.put((byte) raw.length).put(raw);
    }

    /** {@return the text's beginning, which ends with a whole character} */
    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        int end = Math.min(bytes.length, MAX_TEXT_BYTES);
        // The second and further bytes of a character begin with the bits 10.
        while (end > 0 && end < bytes.length && (bytes[end] & 0xC0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    /**
     * {@return what the ranks said, in their order}
     *
     * @param size how many there are
     * @param round from 1
     */
    public static List<MeetingRecord> decodeAll(List<byte[]> records, int size, int round) {
        if (records.size() != size) {
            throw foreign("records=" + records.size() + ", size=" + size, null);
        }
        List<MeetingRecord> all = new ArrayList<>(size);
        for (int rank = 0; rank < size; rank++) {
            all.add(decode(records.get(rank), rank, size, round));
        }
        return all;
    }

    private static MeetingRecord decode(byte @Nullable [] record, int rank, int size, int round) {
        String place = "index=" + rank + ", round=" + round;
        if (record == null || record.length != Meeting.RECORD_BYTES) {
            throw foreign(
                    place + ", bytes=" + (record == null ? "none" : record.length) + ", expected="
                            + Meeting.RECORD_BYTES,
                    null);
        }
        ByteBuffer bytes = ByteBuffer.wrap(record);
        if (bytes.getInt() != MAGIC) {
            throw foreign(place + ", content=no record of this library", null);
        }
        byte version = bytes.get();
        if (version != VERSION) {
            throw foreign(
                    place + ", version=" + version + ", this rank's version=" + VERSION
                            + ", run one release of Reactive Comm on all ranks",
                    null);
        }
        return decodeOurs(bytes, place, rank, size, round);
    }

    private static MeetingRecord decodeOurs(ByteBuffer bytes, String place, int rank, int size, int round) {
        byte itsRound = bytes.get();
        byte kind = bytes.get();
        bytes.get();
        int itsRank = bytes.getInt();
        int itsSize = bytes.getInt();
        int length = bytes.getInt();
        if (itsRound != round) {
            throw foreign(place + ", its round=" + itsRound + ", as if ranks connected another number of times", null);
        }
        if (kind != FAILURE && (itsRank != rank || itsSize != size)) {
            throw foreign(place + ", its rank=" + itsRank + ", its size=" + itsSize + ", size=" + size, null);
        }
        try {
            return body(bytes.slice(bytes.position(), length), kind, itsRank, itsSize);
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | UnknownHostException e) {
            throw foreign(place + ", content=a broken record", e);
        }
    }

    private static MeetingRecord body(ByteBuffer body, byte kind, int rank, int size) throws UnknownHostException {
        MeetingRecord record = switch (kind) {
            case HELLO -> hello(body, rank, size);
            case STORE -> store(body, rank, size);
            case READY -> new MeetingRecord.Ready(rank, size);
            case FAILURE ->
                new MeetingRecord.Failure(
                        rank, size, body.getInt(), UTF_8.decode(body).toString());
            default -> throw new IllegalArgumentException("kind");
        };
        if (body.hasRemaining()) {
            throw new IllegalArgumentException("length");
        }
        return record;
    }

    private static MeetingRecord.Hello hello(ByteBuffer body, int rank, int size) throws UnknownHostException {
        byte flags = body.get();
        byte[] machine = new byte[MACHINE_BYTES];
        body.get(machine);
        List<InetAddress> addresses = new ArrayList<>();
        for (int left = Byte.toUnsignedInt(body.get()); left > 0; left--) {
            addresses.add(address(body));
        }
        return new MeetingRecord.Hello(
                rank,
                size,
                HexFormat.of().formatHex(machine),
                (flags & PLAINTEXT) != 0,
                (flags & TOKEN) != 0,
                addresses);
    }

    private static MeetingRecord.Store store(ByteBuffer body, int rank, int size) throws UnknownHostException {
        InetAddress address = address(body);
        int port = body.getInt();
        String token = US_ASCII.decode(body).toString();
        if (port < 1 || port > 65535) {
            throw new IllegalArgumentException("port");
        }
        return new MeetingRecord.Store(rank, size, address, port, token.isEmpty() ? null : token);
    }

    private static InetAddress address(ByteBuffer body) throws UnknownHostException {
        byte[] raw = new byte[Byte.toUnsignedInt(body.get())];
        body.get(raw);
        return InetAddress.getByAddress(raw);
    }

    private static RendezvousException foreign(String facts, @Nullable Exception cause) {
        return new RendezvousException(
                "an all-gather gave what the ranks of this world did not say: " + facts
                        + "; it has to give one record of each rank, in their order and unchanged, and all ranks have to connect as often through it",
                cause);
    }
}
