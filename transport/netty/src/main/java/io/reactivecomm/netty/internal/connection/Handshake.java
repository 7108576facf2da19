package io.reactivecomm.netty.internal.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.netty.internal.host.Tokens;
import io.reactivecomm.spi.ProtocolException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * The greeting by which the two ends of a connection, to the store or to a rank, admit each other: each proves that it has the token,
 * without showing it, and they agree whether the connection is encrypted.
 *
 * <pre>
 *   dialer                                                 listener
 *     | -- HELLO(magic, version, purpose, flags, host) -----&gt; |
 *     | &lt;-- CHALLENGE(magic, version, flags, host) ---------- |
 *     | -- KNOCK(mode, rank, proof) ------------------------&gt; |   or it closes
 *     | &lt;-- READY, or REFUSED(code, text) ------------------- |
 *     | ============ TLS 1.3 from here on, if so agreed ===== |
 *     | -- PROOF(rank, lane, target, job, proof) -----------&gt; |
 *     | &lt;-- ADMITTED(proof), or REFUSED(code, text) --------- |
 * </pre>
 *
 * <p>The packets, each behind the header of {@link PacketDecoder}; READY is a header alone:
 *
 * <pre>
 *     HELLO, CHALLENGE
 *  8 +-------------------------------------------------------------+
 *    |                            Magic                            |
 * 16 +-----------------------------+---------+-------+-------------+
 *    |           Version           | Purpose | Flags |   Zero (2)  |
 * 24 +-----------------------------+---------+-------+-------------+
 *    |                      Nonce (16 bytes)                       |
 * 40 +-------------------------------------------------------------+
 *    |                    Host (16 bytes)                          |
 * 56 +-------------------------------------------------------------+
 *
 *     KNOCK
 *  8 +---------+-------------------+-------------------------------+
 *    |  Mode   |      Zero (3)     |             Rank              |
 * 16 +---------+-------------------+-------------------------------+
 *    |                      Proof (32 bytes)                       |
 * 48 +-------------------------------------------------------------+
 *
 *     PROOF
 *  8 +-----------------------------+-------------------------------+
 *    |            Rank             |   Lane (0: frames go here)    |
 * 16 +-----------------------------+-------------------------------+
 *    |  Target (the store is -1)   |            Zero (4)           |
 * 24 +-----------------------------+-------------------------------+
 *    |            Job (16 bytes; zero towards the store)           |
 * 40 +-------------------------------------------------------------+
 *    |                      Proof (32 bytes)                       |
 * 72 +-------------------------------------------------------------+
 *
 *     ADMITTED                          REFUSED
 *  8 +---------------------------+   8 +---------------------------+
 *    |     Proof (32 bytes)      |     |           Code            |
 * 40 +---------------------------+  12 +---------------------------+
 *                                      |           Text           ...
 *                                      +---------------------------+
 *                                      |     Proof (32 bytes)      |
 *                                      +---------------------------+
 * </pre>
 *
 * <p><b>Proofs.</b> Each is HMAC-SHA-256, keyed with the token, over a name of its own and all packets of the connection up to there. Those of PROOF and ADMITTED
 * also cover the channel binding: 32 bytes that TLS exports (RFC 9266), which two connections never share. A relay between two connections of TLS
 * has a binding with each end that the other end does not have. A refusal after a right KNOCK is proved, too. One before it has a proof of zeros,
 * so a stranger gets nothing made with the token; the dialer words such a refusal by its code, because its text may be anyone's.
 *
 * <p><b>Mode.</b> Each end says in its flags whether it demands TLS and whether its user permits plaintext. TLS is used if either demands it. The dialer states the
 * result in KNOCK, which covers the flags of both: it cannot be weakened on the way, and neither end falls back. The host is a digest of the kernel and the network
 * that a process runs in; where the two differ, no loopback can be shared and TLS is demanded.
 *
 * <p><b>Order.</b> The dialer proves first, so a stranger who dials learns nothing from which a weak token could be guessed, and costs no public-key work. HELLO and
 * CHALLENGE keep their layout in all versions, so that ends of different releases can say so.
 *
 * <p><b>Threads.</b> One connection's event loop.
 */
public final class Handshake {

    /** The bytes {@code RCOMM}, two zeros and the version of this handshake, as one little-endian number. */
    static final long MAGIC = 0x0100_004d_4d4f_4352L;

    /** No packet of a handshake that asks for admission is longer. */
    public static final int MAX_PACKET_BYTES = 512;

    static final byte HELLO = 1;
    static final byte CHALLENGE = 2;
    static final byte PROOF = 3;
    static final byte ADMITTED = 4;
    static final byte REFUSED = 5;
    static final byte KNOCK = 6;
    static final byte READY = 7;

    /** The first version whose ends knock. */
    static final int KNOCKING_VERSION = 14;

    public static final int JOB_BYTES = 16;

    /** The store as the target of a claim. */
    public static final int STORE = -1;

    static final String INTERCEPTED_TEXT =
            "the connection is intercepted: the end that has the token is not the end of this channel; check the network between the hosts";

    /** Longer than any refusal that this project writes. */
    static final int MAX_REFUSAL_CHARS = 200;

    /** Control and format characters and line separators: what could forge a line of a log or steer a terminal. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");

    static final int HOST_BYTES = 16;

    private static final int NONCE_BYTES = 16;
    private static final int PROOF_BYTES = 32;
    private static final int GREETING_BYTES = 56;
    private static final int KNOCK_BYTES = 48;
    private static final int PROOF_PACKET_BYTES = 72;
    private static final int ADMITTED_BYTES = 40;
    private static final int VERSION_OFFSET = 16;
    private static final int PURPOSE_OFFSET = 20;
    private static final int FLAGS_OFFSET = 21;
    private static final int HOST_OFFSET = 40;
    private static final int MODE_OFFSET = 8;
    private static final int KNOCK_RANK_OFFSET = 12;
    private static final int RANK_OFFSET = 8;
    private static final int LANE_OFFSET = 12;
    private static final int TARGET_OFFSET = 16;
    private static final int JOB_OFFSET = 24;
    private static final int CODE_OFFSET = 8;
    private static final int TEXT_OFFSET = 12;

    private static final byte DEMANDS_TLS = 1;
    private static final byte PERMITS_PLAINTEXT = 2;
    private static final byte PLAIN_MODE = 0;
    private static final byte TLS_MODE = 1;

    private static final byte[] KNOCKER = "knock".getBytes(UTF_8);
    private static final byte[] DIALER = "dialer".getBytes(UTF_8);
    private static final byte[] REFUSER = "refuser".getBytes(UTF_8);
    private static final byte[] LISTENER = "listener".getBytes(UTF_8);
    private static final SecureRandom RANDOM = generator();

    /** The purpose of a connection; the order is the code on the wire. */
    public enum Purpose {
        STORE,
        DATA,
        CONTROL,
        /** Of somebody who is no rank, and looks at what ranks tell. */
        WATCH
    }

    /** The reason for which a connection is refused; the order is the code on the wire. */
    public enum Refusal {
        TOKEN,
        VERSION,
        JOB,
        RANK,
        /** The channel has another end than the one that knocked. */
        INTERCEPTED,
        /** One end permits plaintext alone and the other one demands TLS. */
        PLAINTEXT
    }

    /** The part of a greeting that says how an end would have the connection. */
    record Terms(boolean demandsTls, boolean permitsPlaintext, byte[] host) {

        /** {@return those of an end under that rule} */
        static Terms of(Encryption encryption, boolean isWithinHost, byte[] host) {
            boolean demandsTls = encryption.isEverywhere() || (encryption != Encryption.OFF && !isWithinHost);
            return new Terms(demandsTls, encryption == Encryption.OFF, host);
        }

        private byte flags() {
            return (byte) ((demandsTls ? DEMANDS_TLS : 0) | (permitsPlaintext ? PERMITS_PLAINTEXT : 0));
        }

        /** {@return whether the two ends can share no loopback} */
        boolean isElsewhere(byte[] otherHost) {
            return !MessageDigest.isEqual(host, otherHost);
        }
    }

    /**
     * A dialer's statement of itself.
     *
     * @param lane which lane of a link the connection is to be, or 0 for the link's own and for other purposes
     * @param target the rank that is dialled, or {@link #STORE}
     */
    public record Claim(Purpose purpose, int version, int rank, int lane, int target, byte[] job) {}

    private final Mac mac;
    private final byte[] hello;
    private final byte[] challenge;
    private byte[] knock = new byte[0];
    private byte[] proof = new byte[0];

    /** @param token the secret, or null for none, which is proved like any other */
    Handshake(@Nullable String token, byte[] hello, byte[] challenge) {
        this.hello = hello;
        this.challenge = challenge;
        // A key may not be empty, and this prefix keeps the key apart from other uses of the same secret.
        byte[] key = ("reactive-comm:" + (token == null ? "" : token)).getBytes(UTF_8);
        mac = HmacSha256.keyed(key);
    }

    /** {@return random bytes from a generator in memory, because reading the system's generator, a file, would block a loop} */
    private static SecureRandom generator() {
        try {
            return SecureRandom.getInstance("DRBG");
        } catch (NoSuchAlgorithmException e) {
            return new SecureRandom();
        }
    }

    /** Seeds the generator of nonces from the system's generator, on a thread that may block. */
    static void seed() {
        newNonce(1);
    }

    public static byte[] newNonce(int bytes) {
        byte[] nonce = new byte[bytes];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    static byte[] hello(int version, Purpose purpose, Terms terms) {
        return greeting(HELLO, version, purpose, terms);
    }

    static byte[] challenge(int version, Purpose purpose, Terms terms) {
        return greeting(CHALLENGE, version, purpose, terms);
    }

    private static byte[] greeting(byte type, int version, Purpose purpose, Terms terms) {
        ByteBuf packet = packet(type, GREETING_BYTES).writeLongLE(MAGIC).writeIntLE(version);
        packet.writeByte(purpose.ordinal()).writeByte(terms.flags()).writeZero(2);
        return bytesOf(packet.writeBytes(newNonce(NONCE_BYTES)).writeBytes(terms.host()));
    }

    /** {@return the version in a HELLO or CHALLENGE} */
    static int versionOf(byte[] greeting) {
        return Unpooled.wrappedBuffer(greeting).getIntLE(VERSION_OFFSET);
    }

    /** {@return the purpose in a HELLO, or null if there is none such} */
    static @Nullable Purpose purposeOf(byte[] greeting) {
        int code = greeting[PURPOSE_OFFSET];
        return code < 0 || code >= Purpose.values().length ? null : Purpose.values()[code];
    }

    /** {@return the terms in a HELLO or CHALLENGE} */
    static Terms termsOf(byte[] greeting) {
        byte flags = greeting[FLAGS_OFFSET];
        return new Terms(
                (flags & DEMANDS_TLS) != 0,
                (flags & PERMITS_PLAINTEXT) != 0,
                Arrays.copyOfRange(greeting, HOST_OFFSET, HOST_OFFSET + HOST_BYTES));
    }

    /** {@return whether the packet is a HELLO or CHALLENGE of this protocol} */
    static boolean isGreeting(byte type, byte[] packet) {
        return packet.length == GREETING_BYTES
                && packet[PacketDecoder.TYPE_OFFSET] == type
                && Unpooled.wrappedBuffer(packet).getLongLE(PacketDecoder.HEADER_BYTES) == MAGIC;
    }

    /** {@return whether either end has demanded TLS in its greeting} */
    boolean isTlsDemanded() {
        return termsOf(hello).demandsTls() || termsOf(challenge).demandsTls();
    }

    byte[] knock(boolean isTls, int rank) {
        byte[] said = bytesOf(packet(KNOCK, KNOCK_BYTES)
                .writeByte(isTls ? TLS_MODE : PLAIN_MODE)
                .writeZero(3)
                .writeIntLE(rank)
                .writeZero(PROOF_BYTES));
        knock = signed(said, sign(KNOCKER, hello, challenge, withoutProof(said)));
        return knock;
    }

    /** {@return whether that KNOCK was made with the token; then it counts} */
    boolean takesKnock(byte[] packet) {
        boolean isRight = packet.length == KNOCK_BYTES
                && packet[PacketDecoder.TYPE_OFFSET] == KNOCK
                && endsWith(packet, sign(KNOCKER, hello, challenge, withoutProof(packet)));
        if (isRight) {
            knock = packet;
        }
        return isRight;
    }

    /** {@return whether the KNOCK asks for TLS; an unknown mode counts as TLS} */
    boolean isTls() {
        return knock[MODE_OFFSET] != PLAIN_MODE;
    }

    /** {@return the rank that knocked} */
    int knocker() {
        return Unpooled.wrappedBuffer(knock).getIntLE(KNOCK_RANK_OFFSET);
    }

    /**
     * {@return why the mode of the KNOCK is refused, or null}
     *
     * @param listener the end that refuses
     * @param token the secret that both ends have
     */
    @Nullable String conflict(String listener, @Nullable String token) {
        if (!isTls()) {
            return isTlsDemanded() ? "TLS is demanded and the dialer refuses it: rank=" + knocker() : null;
        }
        boolean isPlain = termsOf(hello).permitsPlaintext();
        if (isPlain || termsOf(challenge).permitsPlaintext()) {
            String dialer = knocker() < 0 ? "a watcher" : "rank " + knocker();
            return "RCOMM_PLAINTEXT=1 is set at one end of a connection alone: with=" + (isPlain ? dialer : listener)
                    + ", without=" + (isPlain ? listener : dialer) + "; set it on all ranks and the store, or on none";
        }
        return Tokens.problem(token);
    }

    static byte[] ready() {
        return bytesOf(packet(READY, PacketDecoder.HEADER_BYTES));
    }

    static boolean isReady(byte[] packet) {
        return packet.length == PacketDecoder.HEADER_BYTES && packet[PacketDecoder.TYPE_OFFSET] == READY;
    }

    /** @param binding what TLS exports, or nothing in plain mode */
    byte[] proof(Claim by, byte[] binding) {
        byte[] claim = bytesOf(packet(PROOF, PROOF_PACKET_BYTES)
                .writeIntLE(by.rank())
                .writeIntLE(by.lane())
                .writeIntLE(by.target())
                .writeZero(4)
                .writeBytes(by.job())
                .writeZero(PROOF_BYTES));
        proof = signed(claim, sign(DIALER, hello, challenge, knock, binding, withoutProof(claim)));
        return proof;
    }

    /** {@return whether that PROOF was made with the token, on this channel; then it counts} */
    boolean takesProof(byte[] packet, byte[] binding) {
        boolean isRight = packet.length == PROOF_PACKET_BYTES
                && packet[PacketDecoder.TYPE_OFFSET] == PROOF
                && endsWith(packet, sign(DIALER, hello, challenge, knock, binding, withoutProof(packet)));
        if (isRight) {
            proof = packet;
        }
        return isRight;
    }

    /** {@return the claim of the PROOF} */
    Claim claim() {
        ByteBuf packet = Unpooled.wrappedBuffer(proof);
        Purpose purpose = purposeOf(hello);
        if (purpose == null) {
            throw new ProtocolException("unknown purpose of a connection: purpose=" + hello[PURPOSE_OFFSET] + ", known="
                    + Purpose.values().length);
        }
        byte[] job = Arrays.copyOfRange(proof, JOB_OFFSET, JOB_OFFSET + JOB_BYTES);
        return new Claim(
                purpose,
                versionOf(hello),
                packet.getIntLE(RANK_OFFSET),
                packet.getIntLE(LANE_OFFSET),
                packet.getIntLE(TARGET_OFFSET),
                job);
    }

    byte[] admitted(byte[] binding) {
        byte[] said = sign(LISTENER, hello, challenge, knock, binding, proof);
        return bytesOf(packet(ADMITTED, ADMITTED_BYTES).writeBytes(said));
    }

    /** {@return whether that ADMITTED was made with the token, on this channel} */
    boolean confirms(byte[] admitted, byte[] binding) {
        return admitted.length == ADMITTED_BYTES
                && admitted[PacketDecoder.TYPE_OFFSET] == ADMITTED
                && endsWith(admitted, sign(LISTENER, hello, challenge, knock, binding, proof));
    }

    /** {@return a refusal without a proof} */
    static byte[] refused(Refusal refusal, String text) {
        byte[] words = text.getBytes(UTF_8);
        int room = Math.min(words.length, MAX_PACKET_BYTES - TEXT_OFFSET - PROOF_BYTES);
        return bytesOf(packet(REFUSED, TEXT_OFFSET + room + PROOF_BYTES)
                .writeIntLE(refusal.ordinal())
                .writeBytes(words, 0, room)
                .writeZero(PROOF_BYTES));
    }

    /** {@return a refusal, with a proof if the dialer has given its own by a KNOCK} */
    byte[] refusal(Refusal refusal, String text, byte[] binding) {
        byte[] packet = refused(refusal, text);
        return knock.length == 0
                ? packet
                : signed(packet, sign(REFUSER, hello, challenge, knock, binding, withoutProof(packet)));
    }

    /** {@return whether that refusal was made with the token, on this channel} */
    boolean provesRefusal(byte[] refused, byte[] binding) {
        return knock.length > 0
                && endsWith(refused, sign(REFUSER, hello, challenge, knock, binding, withoutProof(refused)));
    }

    static @Nullable Refusal refusalOf(byte[] refused) {
        int code = refused.length < TEXT_OFFSET + PROOF_BYTES
                ? -1
                : Unpooled.wrappedBuffer(refused).getIntLE(CODE_OFFSET);
        return code < 0 || code >= Refusal.values().length ? null : Refusal.values()[code];
    }

    /** {@return the text of a refusal, without characters that could forge a line of a log} */
    static String textOf(byte[] refused) {
        String text = new String(refused, TEXT_OFFSET, refused.length - TEXT_OFFSET - PROOF_BYTES, UTF_8);
        String printable = UNPRINTABLE.matcher(text).replaceAll(" ");
        return printable.substring(0, Math.min(printable.length(), MAX_REFUSAL_CHARS));
    }

    private static byte[] withoutProof(byte[] packet) {
        return Arrays.copyOf(packet, packet.length - PROOF_BYTES);
    }

    private static byte[] signed(byte[] packet, byte[] proof) {
        System.arraycopy(proof, 0, packet, packet.length - PROOF_BYTES, PROOF_BYTES);
        return packet;
    }

    private byte[] sign(byte[]... parts) {
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    /** Takes the same time wherever the two differ. */
    private static boolean endsWith(byte[] packet, byte[] proof) {
        byte[] claimed = Arrays.copyOfRange(packet, packet.length - PROOF_BYTES, packet.length);
        return MessageDigest.isEqual(claimed, proof);
    }

    private static ByteBuf packet(byte type, int length) {
        return Unpooled.buffer(length, length)
                .writeIntLE(length)
                .writeByte(type)
                .writeMedium(0);
    }

    private static byte[] bytesOf(ByteBuf packet) {
        return packet.array();
    }
}
