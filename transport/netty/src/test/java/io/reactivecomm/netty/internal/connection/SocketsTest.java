package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The choice of the interface that drives sockets. */
class SocketsTest {

    @Test
    void best_epollUsable_isEpoll() {
        assertThat(Sockets.best(() -> null)).isEqualTo(Sockets.EPOLL);
    }

    @Test
    void best_epollUnavailable_isNio() {
        assertThat(Sockets.best(() -> new UnsatisfiedLinkError("no natives"))).isEqualTo(Sockets.NIO);
    }

    @Test
    void best_epollNotOnTheClassPath_isNio() {
        assertThat(Sockets.best(() -> {
                    throw new NoClassDefFoundError("io/netty/channel/epoll/Epoll");
                }))
                .isEqualTo(Sockets.NIO);
    }
}
