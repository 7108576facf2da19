package io.reactivecomm.netty.internal.life;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.reactivecomm.netty.internal.connection.HmacSha256;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * The proof that a datagram is a beat of this job's: the first {@value #SEAL_BYTES} bytes of HMAC-SHA-256 over all that is before them. The
 * key comes of the token and of the job's number, so a datagram of another job, or of somebody who does not have the token, is none.
 *
 * <pre>
 *  0 +-----------------------------+-------------------------------+
 *    |            Magic            |           Heartbeat         ...
 *    +-----------------------------+-------------------------------+
 *    |                       Seal (16 bytes)                       |
 *    +-------------------------------------------------------------+
 * </pre>
 *
 * <p><b>Threads.</b> The control thread.
 */
public final class HeartbeatMac {

    static final int SEAL_BYTES = 16;

    /** Sealed and unread, what comes from elsewhere mostly ends here. */
    static final int MAGIC = 0x5442_4352;

    private static final int MAGIC_BYTES = 4;

    private final Mac mac;

    /**
     * @param token the secret, or null for none
     * @param job the number that no other world has
     */
    public HeartbeatMac(@Nullable String token, byte[] job) {
        byte[] secret = ("reactive-comm heartbeats:" + (token == null ? "" : token)).getBytes(UTF_8);
        mac = HmacSha256.keyed(HmacSha256.keyed(secret).doFinal(job));
    }

    /** Writes a beat and its seal. */
    ByteBuf seal(Heartbeat beat, ByteBuf into) {
        int from = into.writerIndex();
        beat.write(into.writeIntLE(MAGIC));
        return into.writeBytes(sealOf(into, from, into.writerIndex() - from));
    }

    private byte[] sealOf(ByteBuf bytes, int from, int length) {
        mac.update(ByteBufUtil.getBytes(bytes, from, length));
        return Arrays.copyOf(mac.doFinal(), SEAL_BYTES);
    }

    /** {@return the beat in a datagram, to be read, or null if it was not sealed with this key} */
    @Nullable ByteBuf open(ByteBuf datagram) {
        int length = datagram.readableBytes() - SEAL_BYTES;
        if (length < MAGIC_BYTES || datagram.getIntLE(datagram.readerIndex()) != MAGIC) {
            return null;
        }
        int from = datagram.readerIndex();
        byte[] claimed = ByteBufUtil.getBytes(datagram, from + length, SEAL_BYTES);
        boolean isOurs = MessageDigest.isEqual(claimed, sealOf(datagram, from, length));
        return isOurs ? datagram.slice(from + MAGIC_BYTES, length - MAGIC_BYTES) : null;
    }
}
