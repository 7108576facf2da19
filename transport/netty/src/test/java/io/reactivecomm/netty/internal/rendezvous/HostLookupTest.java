package io.reactivecomm.netty.internal.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.CapturedLog;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostLookupTest {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ManualTimers timers = new ManualTimers();
    private final NettyLoop loop = NettyLoop.start("lookup", Sockets.best());
    private final AtomicInteger asked = new AtomicInteger();
    private final CapturedLog log = CapturedLog.of(HostLookup.class);

    @AfterEach
    void end() {
        loop.stop();
        log.close();
    }

    private CompletableFuture<InetSocketAddress> find(HostLookup.Resolver resolver) {
        CommConfig config = CommConfig.of(1, 2, "train-0.workers", 4711).withRendezvousTimeout(Duration.ofSeconds(6));
        return HostLookup.find(config, loop, timers, resolver).toFuture();
    }

    private static Throwable failure(CompletableFuture<?> attempt) {
        return attempt.handle((_, problem) -> problem)
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void nameThatComesLater_isFound() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        CompletableFuture<InetSocketAddress> address = find(host -> {
            if (asked.incrementAndGet() < 3) {
                throw new UnknownHostException(host);
            }
            return loopback;
        });
        for (int pause = 0; pause < 2; pause++) {
            timers.awaitTaskOn(loop.eventLoop());
            timers.advance(PAUSE_NANOS);
        }
        assertThat(address.get(20, TimeUnit.SECONDS)).isEqualTo(new InetSocketAddress(loopback, 4711));
        assertThat(asked).hasValue(3);
    }

    @Test
    void nameThatNeverComes_isNamedEveryFiveSecondsAndAtTheDeadline() throws Exception {
        CompletableFuture<InetSocketAddress> address = find(host -> {
            throw new UnknownHostException(host);
        });
        for (int pause = 0; pause < 12; pause++) {
            timers.awaitTaskOn(loop.eventLoop());
            timers.advance(PAUSE_NANOS);
        }
        assertThat(failure(address))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("MASTER_ADDR=train-0.workers", "rank=1", "waited=6.0 s");
        assertThat(log.lines()).singleElement().asString().contains("MASTER_ADDR=train-0.workers", "waited=5.0 s");
    }

    @Test
    void otherProblem_isNotRepeated() {
        CompletableFuture<InetSocketAddress> address = find(_ -> {
            asked.incrementAndGet();
            throw new IllegalStateException("broken");
        });
        assertThat(failure(address)).isInstanceOf(RendezvousException.class).hasRootCauseMessage("broken");
        assertThat(asked).hasValue(1);
    }
}
