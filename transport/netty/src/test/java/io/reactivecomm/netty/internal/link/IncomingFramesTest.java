package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.FrameWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IncomingFramesTest {

    private static final int PAYLOAD_BYTES = 64 * 1024;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment destination = arena.allocate(PAYLOAD_BYTES);
    private int ended;
    private int others;

    private final IncomingFrames frames =
            new IncomingFrames(PooledByteBufAllocator.DEFAULT, new LaneSet(0), new IncomingFrames.Sink() {
                @Override
                public void onFrame(Frame frame) {
                    others++;
                }

                @Override
                public MemorySegment onDataStart(long grant, int lengthBytes) {
                    return destination;
                }

                @Override
                public void onDataEnd(long grant) {
                    ended++;
                }

                @Override
                public void onDataFailed(long grant, Throwable fault) {
                    throw new AssertionError("a payload's place is gone: grant=" + grant, fault);
                }
            });

    @AfterEach
    void close() {
        frames.close();
        arena.close();
    }

    /** Reads as a channel does: what is there, into the buffer that is asked for. */
    private void read(ByteBuffer stream) {
        while (stream.hasRemaining()) {
            ByteBuf into = frames.nextRead(PooledByteBufAllocator.DEFAULT);
            int here = Math.min(into.writableBytes(), stream.remaining());
            into.writeBytes(stream.slice(stream.position(), here));
            stream.position(stream.position() + here);
            frames.received(into);
            frames.parse();
        }
    }

    /** {@return how much the next read takes at most} */
    private int nextReadBytes() {
        ByteBuf next = frames.nextRead(PooledByteBufAllocator.DEFAULT);
        next.release();
        return next.capacity();
    }

    private ByteBuffer payload() {
        ByteBuffer one = ByteBuffer.allocate(FrameCodec.DATA_HEADER_BYTES + PAYLOAD_BYTES + PayloadStatus.BYTES);
        new FrameWriter().write(new Frame.Data(1, destination), one);
        return one.put(one.limit() - 1, PayloadStatus.WHOLE.code()).rewind();
    }

    private static ByteBuffer grants(int n) {
        ByteBuffer all = ByteBuffer.allocate(n * 64);
        FrameWriter writer = new FrameWriter();
        for (int i = 0; i < n; i++) {
            writer.write(new Frame.Grant(7, 0, i, 1, i + 1), all);
            writer.cut();
        }
        return all.flip();
    }

    @Test
    void longStreamOfPayloads_growsNoBuffer() {
        ByteBuffer one = payload();
        for (int i = 0; i < 2_000; i++) {
            read(one.duplicate());
        }
        assertThat(ended).isEqualTo(2_000);
        read(grants(100));
        assertThat(nextReadBytes()).isEqualTo(IncomingFrames.INBOX_BYTES);
    }

    /** As a peer could cut them that wishes us ill. */
    @Test
    void shortReadsThatEndInMidFrame_growNoBuffer() {
        read(payload());
        ByteBuffer all = grants(5_000);
        ByteBuffer some = all.slice(0, 50);
        read(some);
        for (int at = 50; at + 100 <= all.limit(); at += 100) {
            read(all.slice(at, 100));
        }
        read(all.slice(all.limit() - (all.limit() - 50) % 100, (all.limit() - 50) % 100));

        assertThat(others).isEqualTo(5_000);
        read(grants(100));
        assertThat(nextReadBytes()).isEqualTo(IncomingFrames.INBOX_BYTES);
    }

    @Test
    void fewFramesAfterPayload_nextReadIsShort() {
        read(payload());
        read(grants(1));

        assertThat(others).isEqualTo(1);
        assertThat(nextReadBytes())
                .as("what follows is likely a payload, which should not be copied")
                .isEqualTo(256);
    }

    @Test
    void manyFramesAfterPayload_nextReadIsLong() {
        read(payload());
        read(grants(100));

        assertThat(others).isEqualTo(100);
        assertThat(nextReadBytes()).isEqualTo(IncomingFrames.INBOX_BYTES);
    }
}
