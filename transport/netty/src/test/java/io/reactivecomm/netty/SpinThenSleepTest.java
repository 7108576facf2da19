package io.reactivecomm.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import org.junit.jupiter.api.Test;

class SpinThenSleepTest {

    private static final IntSupplier NOTHING = () -> 0;

    private long now;
    private final SpinThenSleep waiting = new SpinThenSleep(() -> now);

    @Test
    void untilItIsAskedTo_itSleepsAtOnce() throws Exception {
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(waiting.calculateStrategy(() -> 3, true)).isEqualTo(3);
    }

    @Test
    void idleLoop_looksForAWhile_thenSleeps() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        now = SpinThenSleep.SPIN_NANOS - 1;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
        now++;
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.SELECT);
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
    }

    @Test
    void news_beginTheWhileAnew() throws Exception {
        waiting.wait(Waiting.ADAPTIVE, false);
        waiting.calculateStrategy(NOTHING, false);
        now = SpinThenSleep.SPIN_NANOS;
        assertThat(waiting.calculateStrategy(() -> 1, false)).isEqualTo(1);
        assertThat(waiting.calculateStrategy(NOTHING, true)).isZero();
        assertThat(waiting.calculateStrategy(NOTHING, false)).isEqualTo(SelectStrategy.CONTINUE);
    }
}
