package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The buffers of a connection's TLS, with reads as a socket makes them. */
class TlsLayerTest {

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
}
