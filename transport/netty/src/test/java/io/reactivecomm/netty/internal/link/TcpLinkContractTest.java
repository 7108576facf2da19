package io.reactivecomm.netty.internal.link;

import io.netty.channel.epoll.Epoll;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.testkit.link.LinkContract;
import io.reactivecomm.testkit.link.LinkEnd;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** The link contract of the test kit, over TCP on loopback, on each kind of socket, over one connection and with lanes. */
class TcpLinkContractTest {

    /** What Netty's allocators keep for the life of the JVM. */
    private static final long POOLED_BYTES = 64L << 20;

    private record Ends(LinkPair links, LinkEnd near, LinkEnd far) implements LinkContract.Pair {

        static Ends of(Sockets sockets, int lanes, Encryption encryption) {
            try {
                LinkPair links = LinkPair.connect(sockets, Timers.SYSTEM, lanes, encryption);
                Ends ends =
                        new Ends(links, new LinkEnd(links.link0, links.loop0), new LinkEnd(links.link1, links.loop1));
                links.on0(() -> links.link0.start(ends.near));
                links.on1(() -> links.link1.start(ends.far));
                return ends;
            } catch (Exception e) {
                throw new AssertionError("no pair of links", e);
            }
        }

        @Override
        public void close() {
            links.close();
        }
    }

    static boolean hasEpoll() {
        return Epoll.isAvailable();
    }

    /** The JVM and Netty open some descriptors with the first socket and keep them: that comes before the first case counts. */
    @BeforeAll
    static void openWhatStaysOpen() throws Exception {
        for (Sockets sockets : Sockets.values()) {
            if (sockets == Sockets.NIO || hasEpoll()) {
                LinkPair.connect(sockets).close();
            }
        }
    }

    /** The contract over sockets of one kind. */
    abstract static class Tcp extends LinkContract {

        private final Sockets sockets;
        private final int lanes;
        private final Encryption encryption;

        Tcp(Sockets sockets, int lanes) {
            this(sockets, lanes, Encryption.BETWEEN_HOSTS);
        }

        Tcp(Sockets sockets, int lanes, Encryption encryption) {
            this.sockets = sockets;
            this.lanes = lanes;
            this.encryption = encryption;
        }

        @Override
        protected Pair connect() {
            return Ends.of(sockets, lanes, encryption);
        }

        @Override
        protected boolean canBreak() {
            return true;
        }

        @Override
        protected void breakAbruptly(Pair pair) {
            ((Ends) pair).links.channel1.close().syncUninterruptibly();
        }

        @Override
        protected long slackBytes() {
            return POOLED_BYTES;
        }
    }

    @Nested
    @EnabledIf("io.reactivecomm.netty.internal.link.TcpLinkContractTest#hasEpoll")
    class OverEpoll extends Tcp {

        OverEpoll() {
            super(Sockets.EPOLL, 1);
        }
    }

    @Nested
    @EnabledIf("io.reactivecomm.netty.internal.link.TcpLinkContractTest#hasEpoll")
    @Tag("thorough")
    class OverEpollWithLanes extends Tcp {

        OverEpollWithLanes() {
            super(Sockets.EPOLL, 3);
        }
    }

    @Nested
    @Tag("thorough")
    class OverNio extends Tcp {

        OverNio() {
            super(Sockets.NIO, 1);
        }
    }

    @Nested
    class OverNioWithLanes extends Tcp {

        OverNioWithLanes() {
            super(Sockets.NIO, 3);
        }
    }

    @Nested
    @EnabledIf("io.reactivecomm.netty.internal.link.TcpLinkContractTest#hasEpoll")
    class OverTls extends Tcp {

        OverTls() {
            super(Sockets.EPOLL, 1, Encryption.EVERYWHERE);
        }
    }

    @Nested
    @EnabledIf("io.reactivecomm.netty.internal.link.TcpLinkContractTest#hasEpoll")
    @Tag("thorough")
    class OverTlsWithLanes extends Tcp {

        OverTlsWithLanes() {
            super(Sockets.EPOLL, 3, Encryption.EVERYWHERE);
        }
    }

    @Nested
    @Tag("thorough")
    class OverTlsOnNio extends Tcp {

        OverTlsOnNio() {
            super(Sockets.NIO, 1, Encryption.EVERYWHERE);
        }
    }

    @Nested
    @Tag("thorough")
    class OverTlsOnNioWithLanes extends Tcp {

        OverTlsOnNioWithLanes() {
            super(Sockets.NIO, 3, Encryption.EVERYWHERE);
        }
    }
}
