package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.FrameCodec;
import io.reactivecomm.spi.FrameWriter;
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

    private final IncomingFrames frames = new IncomingFrames(PooledByteBufAllocator.DEFAULT, new IncomingFrames.Sink() {
        @Override
        public void onFrame(Frame frame) {
            throw new AssertionError(frame);
        }

        @Override
        public MemorySegment onDataStart(long grant, int lengthBytes) {
            return destination;
        }

        @Override
        public void onDataEnd(long grant) {
            ended++;
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

    /** {@return how large the buffer is into which frames are read, once a first byte of one is there} */
    private int inboxBytes() {
        read(ByteBuffer.allocate(1));
        ByteBuf inbox = frames.nextRead(PooledByteBufAllocator.DEFAULT);
        inbox.release();
        return inbox.capacity();
    }

    @Test
    void longStreamOfPayloads_growsNoBuffer() {
        ByteBuffer one = ByteBuffer.allocate(FrameCodec.DATA_HEADER_BYTES + PAYLOAD_BYTES);
        new FrameWriter().write(new Frame.Data(1, destination), one);
        one.rewind();
        for (int i = 0; i < 2_000; i++) {
            read(one.duplicate());
        }
        assertThat(ended).isEqualTo(2_000);
        assertThat(inboxBytes()).isEqualTo(64 * 1024);
    }
}
