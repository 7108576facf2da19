package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.life.ControlLinks;
import io.reactivecomm.netty.internal.life.FailureDetector;
import io.reactivecomm.netty.internal.life.HeartbeatDatagrams;
import io.reactivecomm.netty.internal.life.HeartbeatTerms;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.link.PeerNews;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks for threads that have ended: somebody waits for what they tell. */
@Timeout(60)
class EndedLoopTest {

    private static final HeartbeatTerms TERMS = new HeartbeatTerms(100_000_000L, 3_000_000_000L);

    private final NettyLoop loop = NettyLoop.start("loop", Sockets.best());
    private final ManualTimers timers = new ManualTimers();

    @Test
    void control_thatHasEnded_hasNoNewsToWaitFor() {
        NettyLoop control = NettyLoop.start("control", Sockets.best());
        HeartbeatDatagrams datagrams =
                new HeartbeatDatagrams(0, new StrangerLog("rank 0", control.eventLoop(), timers));
        FailureDetector detector = new FailureDetector(0, 2, TERMS);
        ControlLinks links =
                new ControlLinks(control, timers, new LoopWatchdog(loop), TERMS, detector, datagrams, 0, new Deaf());
        control.stop();
        List<Thread> ranOn = new ArrayList<>();

        links.afterNews(() -> ranOn.add(Thread.currentThread()));

        assertThat(ranOn).containsExactly(Thread.currentThread());
        loop.stop();
    }

    private static final class Deaf implements ControlLinks.Listener {

        @Override
        public void vanished(int peer, String cause) {}

        @Override
        public void found(PeerNews news) {}

        @Override
        public boolean hearsOfClocks() {
            return false;
        }

        @Override
        public void failed(Throwable problem) {}
    }

    @Test
    void loop_thatHasEnded_takesNoTask() {
        assertThat(loop.takes(() -> {})).isTrue();
        loop.stop();
        assertThat(loop.takes(() -> {})).isFalse();
    }

    /** Whoever was asked answers only then. */
    @Test
    void link_whoseLoopHasEnded_tellsItsEndAtOnce() throws Exception {
        RecordedEvents events0 = new RecordedEvents();
        RecordedEvents events1 = new RecordedEvents();
        LinkPair pair = LinkPair.connect(Sockets.best(), timers);
        CompletableFuture<Runnable> asked = new CompletableFuture<>();
        pair.on1(() -> pair.link1.ask(asked::complete));
        pair.start(events0, events1);
        pair.channel0.close().sync();
        Runnable end = asked.get(20, TimeUnit.SECONDS);
        pair.loop1.stop();
        pair.loop0.stop();

        end.run();

        assertThat(events1.next(Down.class).cause()).contains("rank 0");
    }
}
