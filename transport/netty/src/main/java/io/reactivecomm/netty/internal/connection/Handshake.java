package io.reactivecomm.netty.internal.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.reactivecomm.spi.ProtocolException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * The handshake by which the two ends of a connection, to the store or to a rank, admit each other: each proves that it has the token,
 * without showing it.
 *
 * <pre>
 *   dialer                                         listener
 *     | -- HELLO(magic, version, purpose, nonce) ---&gt; |
 *     | &lt;-- CHALLENGE(magic, version, nonce) -------- |
 *     | -- PROOF(rank, job, proof) -----------------&gt; |   or it closes
 *     | &lt;-- ADMITTED(proof), or REFUSED(code, text) - |
 * </pre>
 *
 * <p>The packets, each behind the header of {@link PacketDecoder}:
 *
 * <pre>
 *     HELLO, CHALLENGE
 *  8 +-------------------------------------------------------------+
 *    |                            Magic                            |
 * 16 +-----------------------------+---------+---------------------+
 *    |           Version           | Purpose |       Reserved      |
 * 24 +-----------------------------+---------+---------------------+
 *    |                      Nonce (32 bytes)                       |
 * 56 +-------------------------------------------------------------+
 *
 *     PROOF
 *  8 +-----------------------------+-------------------------------+
 *    |            Rank             |   Lane (0: frames go here)    |
 * 16 +-----------------------------+-------------------------------+
 *    |            Job (16 bytes; zero towards the store)           |
 * 32 +-------------------------------------------------------------+
 *    |                      Proof (32 bytes)                       |
 * 64 +-------------------------------------------------------------+
 *
 *     ADMITTED                          REFUSED
 *  8 +---------------------------+   8 +---------------------------+
 *    |     Proof (32 bytes)      |     |           Code            |
 * 40 +---------------------------+  12 +---------------------------+
 *                                      |           Text           ...
 * </pre>
 *
 * <p>A proof is HMAC-SHA-256, keyed with the token, over the role's name and all packets of the connection up to there. The dialer
 * proves first, so a stranger who dials learns nothing from which a weak token could be guessed. These packets stay as they are in all
 * versions: versions are compared only once the dialer has proved itself, so that no stranger can claim another version.
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

    public static final int JOB_BYTES = 16;

    /** Longer than any refusal that this project writes. */
    static final int MAX_REFUSAL_CHARS = 200;

    /** Control and format characters and line separators: what could forge a line of a log or steer a terminal. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");

    private static final int NONCE_BYTES = 32;
    private static final int PROOF_BYTES = 32;
    private static final int GREETING_BYTES = 56;
    private static final int PROOF_PACKET_BYTES = 64;
    private static final int ADMITTED_BYTES = 40;
    private static final int VERSION_OFFSET = 16;
    private static final int PURPOSE_OFFSET = 20;
    private static final int RANK_OFFSET = 8;
    private static final int LANE_OFFSET = 12;
    private static final int JOB_OFFSET = 16;
    private static final int CODE_OFFSET = 8;
    private static final int TEXT_OFFSET = 12;

    private static final byte[] DIALER = "dialer".getBytes(UTF_8);
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
        RANK
    }

    /**
     * A dialer's statement of itself.
     *
     * @param lane which lane of a link the connection is to be, or 0 for the link's own and for other purposes
     */
    public record Claim(Purpose purpose, int version, int rank, int lane, byte[] job) {}

    private final Mac mac;

    /** @param token the secret, or null for none, which is proved like any other */
    Handshake(@Nullable String token) {
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

    static byte[] hello(int version, Purpose purpose) {
        return greeting(HELLO, version, purpose);
    }

    static byte[] challenge(int version, Purpose purpose) {
        return greeting(CHALLENGE, version, purpose);
    }

    private static byte[] greeting(byte type, int version, Purpose purpose) {
        ByteBuf packet = packet(type, GREETING_BYTES).writeLongLE(MAGIC).writeIntLE(version);
        return bytesOf(packet.writeByte(purpose.ordinal()).writeMedium(0).writeBytes(newNonce(NONCE_BYTES)));
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

    /** {@return whether the packet is a HELLO or CHALLENGE of this protocol} */
    static boolean isGreeting(byte type, byte[] packet) {
        return packet.length == GREETING_BYTES
                && packet[PacketDecoder.TYPE_OFFSET] == type
                && Unpooled.wrappedBuffer(packet).getLongLE(PacketDecoder.HEADER_BYTES) == MAGIC;
    }

    byte[] proof(byte[] hello, byte[] challenge, Claim by) {
        ByteBuf packet = packet(PROOF, PROOF_PACKET_BYTES)
                .writeIntLE(by.rank())
                .writeIntLE(by.lane())
                .writeBytes(by.job());
        byte[] claim = bytesOf(packet.writeZero(PROOF_BYTES));
        byte[] proof = sign(DIALER, hello, challenge, Arrays.copyOf(claim, PROOF_PACKET_BYTES - PROOF_BYTES));
        System.arraycopy(proof, 0, claim, PROOF_PACKET_BYTES - PROOF_BYTES, PROOF_BYTES);
        return claim;
    }

    /** {@return whether that PROOF was made with the token} */
    boolean verifies(byte[] hello, byte[] challenge, byte[] proof) {
        return proof.length == PROOF_PACKET_BYTES
                && proof[PacketDecoder.TYPE_OFFSET] == PROOF
                && endsWith(
                        proof, sign(DIALER, hello, challenge, Arrays.copyOf(proof, PROOF_PACKET_BYTES - PROOF_BYTES)));
    }

    static Claim claimOf(byte[] hello, byte[] proof) {
        ByteBuf packet = Unpooled.wrappedBuffer(proof);
        Purpose purpose = purposeOf(hello);
        if (purpose == null) {
            throw new ProtocolException("unknown purpose of a connection: purpose=" + hello[PURPOSE_OFFSET] + ", known="
                    + Purpose.values().length);
        }
        byte[] job = Arrays.copyOfRange(proof, JOB_OFFSET, JOB_OFFSET + JOB_BYTES);
        return new Claim(purpose, versionOf(hello), packet.getIntLE(RANK_OFFSET), packet.getIntLE(LANE_OFFSET), job);
    }

    byte[] admitted(byte[] hello, byte[] challenge, byte[] proof) {
        return bytesOf(packet(ADMITTED, ADMITTED_BYTES).writeBytes(sign(LISTENER, hello, challenge, proof)));
    }

    /** {@return whether that ADMITTED was made with the token} */
    boolean confirms(byte[] hello, byte[] challenge, byte[] proof, byte[] admitted) {
        return admitted.length == ADMITTED_BYTES && endsWith(admitted, sign(LISTENER, hello, challenge, proof));
    }

    static byte[] refused(Refusal refusal, String text) {
        byte[] words = text.getBytes(UTF_8);
        int room = Math.min(words.length, MAX_PACKET_BYTES - TEXT_OFFSET);
        return bytesOf(packet(REFUSED, TEXT_OFFSET + room)
                .writeIntLE(refusal.ordinal())
                .writeBytes(words, 0, room));
    }

    static @Nullable Refusal refusalOf(byte[] refused) {
        int code = refused.length < TEXT_OFFSET
                ? -1
                : Unpooled.wrappedBuffer(refused).getIntLE(CODE_OFFSET);
        return code < 0 || code >= Refusal.values().length ? null : Refusal.values()[code];
    }

    /** {@return the text of a refusal, made fit for a message: whoever sent it has proved nothing} */
    static String textOf(byte[] refused) {
        String text = new String(refused, TEXT_OFFSET, refused.length - TEXT_OFFSET, UTF_8);
        String printable = UNPRINTABLE.matcher(text).replaceAll(" ");
        return printable.substring(0, Math.min(printable.length(), MAX_REFUSAL_CHARS));
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
