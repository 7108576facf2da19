package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.internal.InternalThreadLocalMap;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class FirstUseTest {

    private static final IoHandlerFactory HANDLERS =
            Sockets.NIO.handlers(DefaultSelectStrategyFactory.INSTANCE.newSelectStrategy());

    /** A channel that no loop takes. */
    public static final class Unwanted extends NioSocketChannel {

        private static final AtomicReference<Channel> LAST = new AtomicReference<>();

        public Unwanted() {
            LAST.set(this);
        }

        @Override
        protected boolean isCompatible(EventLoop loop) {
            return false;
        }
    }

    /** A channel that cannot be made, for a reason that Netty does not declare. */
    public static final class Unmade extends NioSocketChannel {

        public Unmade() throws IOException {
            throw new IOException("expected: too many open files");
        }
    }

    @Test
    void channelThatCannotBeRegistered_isClosed_andNothingIsThrown() {
        FirstUse.use(HANDLERS, List.of(Unwanted.class));
        assertThat(Unwanted.LAST.get().isOpen()).isFalse();
    }

    @Test
    void channelThatCannotBeMade_isNoFailure() {
        FirstUse.use(HANDLERS, List.of(Unmade.class));
    }

    @Test
    void loopThatCannotBeMade_isNoFailure() {
        IoHandlerFactory none = executor -> {
            throw new IllegalStateException("expected: too many open files");
        };
        FirstUse.use(none, List.of(NioSocketChannel.class));
    }

    @Test
    void callersThread_keepsNothingOfNetty() {
        CompletableFuture<Boolean> isClean = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            FirstUse.use(NioIoHandler.newFactory(), List.of(NioSocketChannel.class));
            isClean.complete(InternalThreadLocalMap.getIfSet() == null);
        });
        assertThat(isClean.orTimeout(60, TimeUnit.SECONDS).join()).isTrue();
    }
}
