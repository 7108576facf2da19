package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The buffers of a connection's TLS, with reads as a socket makes them. */
class TlsLayerTest {

    private static final int MOST_BYTES = 1 << 17;

    private final List<Throwable> problems = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final TlsLayer layer = new TlsLayer(channel, Tls.engine(false));

    TlsLayerTest() {
        channel.pipeline().addLast(layer, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
                problems.add(problem);
            }
        });
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private ByteBuf read(int bytes) {
        ByteBuf into = layer.nextRead(channel.alloc());
        into.writeZero(Math.min(bytes, into.writableBytes()));
        channel.writeOneInbound(into);
        return into;
    }

    @Test
    void whatComesAfterABadRecord_isDropped() {
        for (int i = 0; i < 20; i++) {
            ByteBuf junk = read(Integer.MAX_VALUE);
            assertThat(junk.refCnt()).as("read %d", i).isZero();
        }
        assertThat(problems).singleElement().isInstanceOf(SSLException.class);
    }

    @Test
    void readThatFindsNothing_leavesNoBuffer() {
        ByteBuf into = layer.nextRead(channel.alloc());
        into.release();
        channel.flushInbound();

        assertThat(into.refCnt()).isZero();
    }

    private static boolean isShakingHands(SSLEngine engine) {
        return engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
    }

    private static void shakeHands(SSLEngine one, SSLEngine other) throws SSLException {
        ByteBuffer there = ByteBuffer.allocate(MOST_BYTES);
        ByteBuffer back = ByteBuffer.allocate(MOST_BYTES);
        one.beginHandshake();
        other.beginHandshake();
        while (isShakingHands(one) || isShakingHands(other)) {
            step(one, back, there);
            step(other, there, back);
        }
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> engine.getDelegatedTask().run();
            case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN, NOT_HANDSHAKING, FINISHED -> {
                in.flip();
                engine.unwrap(in, ByteBuffer.allocate(MOST_BYTES));
                in.compact();
            }
        }
    }

    /** A socket that takes nothing. */
    private static final class FullSocket implements WritableByteChannel {

        @Override
        public int write(ByteBuffer bytes) {
            return 0;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void connection_thatReceivesWhileItCannotSend_holdsAtMost128KiB_andNothingAfterwards() throws Exception {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
        EmbeddedChannel busy = new EmbeddedChannel();
        busy.config().setAllocator(memory);
        SSLEngine mine = Tls.engine(false);
        SSLEngine other = Tls.engine(true);
        TlsLayer receiving = new TlsLayer(busy, mine);
        List<Long> held = new ArrayList<>();
        busy.pipeline().addLast(receiving, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object plain) {
                held.add(memory.metric().usedDirectMemory());
                ReferenceCountUtil.release(plain);
            }
        });
        shakeHands(mine, other);
        Sealing sending = new Sealing(mine, memory, () -> {});
        ByteBuffer payload = ByteBuffer.allocateDirect(1 << 20);
        sending.write(new FullSocket(), new ByteBuffer[] {ByteBuffer.allocateDirect(0), payload});
        assertThat(payload.position()).isGreaterThan(2 * Sealing.RECORD_BYTES);

        ByteBuf into = receiving.nextRead(memory);
        ByteBuffer record = ByteBuffer.allocate(MOST_BYTES);
        other.wrap(ByteBuffer.allocate(Sealing.RECORD_BYTES), record);
        busy.writeOneInbound(into.writeBytes(record.flip()));
        assertThat(held).singleElement().satisfies(bytes -> assertThat(bytes).isBetween(64L << 10, 128L << 10));

        sending.close();
        busy.finishAndReleaseAll();
        assertThat(memory.metric().usedDirectMemory()).isZero();
    }
}
