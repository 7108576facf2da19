package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Waiting;
import io.reactivecomm.spi.PollingLoop.Poller;
import io.reactivecomm.spi.WaitPolicy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class NettyLoopTest {

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void loopThatSpins_runsTasksAndTimers_andStops(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("spinning", sockets);
        loop.wait(Waiting.ADAPTIVE, false);
        for (int round = 0; round < 20; round++) {
            CountDownLatch ran = new CountDownLatch(2);
            loop.execute(ran::countDown);
            loop.schedule(ran::countDown, WaitPolicy.AWAKE_NANOS * (round % 3));
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        }
        loop.stop();
        assertThat(loop.thread().isAlive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void poller_thatGivesTasks_hasThemRunOnTheLoop_besideThoseOfOthers(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("polling", sockets);
        loop.wait(Waiting.ADAPTIVE, false);
        CountDownLatch ran = new CountDownLatch(200);
        Poller poller = new Poller() {
            @Override
            public boolean poll() {
                loop.execute(() -> {
                    assertThat(loop.inLoop()).isTrue();
                    ran.countDown();
                });
                return true;
            }

            @Override
            public boolean park() {
                return true;
            }

            @Override
            public void unpark() {}
        };
        loop.execute(() -> loop.add(poller));
        CountDownLatch others = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            loop.execute(others::countDown);
        }
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(others.await(20, TimeUnit.SECONDS)).isTrue();
        loop.stop();
    }

    /** Whatever runs on the loop: those who are on it hear of what it dies of, and it goes on. */
    @ParameterizedTest
    @EnumSource(Sockets.class)
    void taskTimerAndPoller_thatDie_areTold_andTheLoopGoesOn(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("dying", sockets);
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        loop.fatalErrors().add((error, rank) -> told.add(loop.inLoop() + " " + error.getMessage() + " " + rank));
        loop.execute(() -> {
            throw new OutOfMemoryError("task");
        });
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("true task -1");
        loop.schedule(
                () -> {
                    throw new StackOverflowError("timer");
                },
                1_000);
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("true timer -1");
        Poller poller = new Poller() {
            @Override
            public boolean poll() {
                loop.remove(this);
                throw new OutOfMemoryError("poller");
            }

            @Override
            public boolean park() {
                return true;
            }

            @Override
            public void unpark() {}
        };
        loop.execute(() -> loop.add(poller));
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("true poller -1");
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        loop.stop();
    }
}
