package io.reactivecomm.spi.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivecomm.spi.ProtocolException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Decoding hostile bytes ends in a frame or a {@link ProtocolException}, and takes memory in proportion to the bytes. */
class FrameFuzzTest {

    private static final int ROUNDS = 60_000;

    /** An exception with the stack of a test, which is deep, and small objects. */
    private static final long FIXED_BYTES = 16 * 1024;

    /** The most a byte becomes: a missing rank of four bytes is an Integer in two lists, a text is decoded through characters. */
    private static final long TIMES = 12;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long seed = Long.getLong("rcomm.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private int decoded;

    @Test
    void decode_mutatedFrames_isAFrameOrARefusal() {
        List<Frame> frames = FrameCodecTest.frames().toList();
        for (int round = 0; round < ROUNDS; round++) {
            ByteBuffer bytes = FrameCodecTest.encoded(frames.get(random.nextInt(frames.size())))
                    .slice();
            mutate(bytes);
            check(bytes, round);
        }
        assertThat(decoded).as("frames that survived, seed=%d", seed).isGreaterThan(ROUNDS / 100);
    }

    @Test
    void decode_randomBytes_isAFrameOrARefusal() {
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            ByteBuffer frame = ByteBuffer.wrap(bytes);
            if (bytes.length >= FrameCodec.HEADER_BYTES) {
                // A sound header, so that the body is looked at.
                frame.order(ByteOrder.LITTLE_ENDIAN).putInt(0, bytes.length).putInt(4, 2 + random.nextInt(13));
            }
            check(frame, round);
        }
    }

    private void mutate(ByteBuffer bytes) {
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt(bytes.limit());
            switch (random.nextInt(4)) {
                case 0 -> bytes.put(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
                case 1 -> bytes.put(at, (byte) random.nextInt());
                case 2 -> putInt(bytes, at, random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt());
                default -> putInt(bytes, at, random.nextInt(bytes.limit() * 2));
            }
        }
    }

    private static void putInt(ByteBuffer bytes, int at, int value) {
        int aligned = at & ~3;
        if (aligned + 4 <= bytes.limit()) {
            bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(aligned, value);
        }
    }

    private void check(ByteBuffer bytes, int round) {
        long most = FIXED_BYTES + TIMES * bytes.remaining();
        long cost = cost(bytes.duplicate(), round);
        if (cost > most) {
            // The first time through a line costs what it links and loads: only the second time counts.
            cost = cost(bytes.duplicate(), round);
        }
        if (cost > most) {
            throw new AssertionError(
                    "seed=" + seed + ", round=" + round + ": " + bytes.remaining() + " bytes cost " + cost);
        }
    }

    private long cost(ByteBuffer bytes, int round) {
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
            FrameCodec.decode(bytes);
            decoded++;
        } catch (ProtocolException e) {
            // Refused, as it should be.
        } catch (RuntimeException e) {
            throw new AssertionError("seed=" + seed + ", round=" + round, e);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
