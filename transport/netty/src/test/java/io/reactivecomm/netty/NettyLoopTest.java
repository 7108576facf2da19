package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import io.reactivecomm.Waiting;
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
            loop.schedule(ran::countDown, SpinThenSleep.SPIN_NANOS * (round % 3));
            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
        }
        loop.stop();
        assertThat(loop.thread().isAlive()).isFalse();
    }
}
