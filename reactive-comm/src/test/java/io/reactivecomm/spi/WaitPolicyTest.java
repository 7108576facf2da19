package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.WaitPolicy.Step;
import org.junit.jupiter.api.Test;

class WaitPolicyTest {

    private static final long CHEAP = 2_000;

    private WaitPolicy policy = new WaitPolicy(false, WaitPolicy.AWAKE_NANOS);
    private long now = 1;

    private Step next(long later) {
        now += later;
        return policy.next(now);
    }

    private void yielded(long nanos) {
        now += nanos;
        policy.yielded(now);
    }

    /** Waits in vain until the policy says to sleep. {@return how long it spun} */
    private long waitInVain() {
        long spun = 0;
        Step step = next(0);
        for (int i = 0; step != Step.SLEEP && i < 10_000; i++) {
            if (step == Step.SPIN) {
                spun += 100;
            } else {
                yielded(CHEAP);
            }
            step = next(100);
        }
        assertThat(next(WaitPolicy.AWAKE_NANOS)).isEqualTo(Step.SLEEP);
        policy.found();
        return spun;
    }

    @Test
    void idleThread_spins_thenYields_thenSleeps() {
        assertThat(next(0)).isEqualTo(Step.SPIN);
        assertThat(next(WaitPolicy.MOST_SPINNING_NANOS - 1)).isEqualTo(Step.SPIN);
        assertThat(next(1)).isEqualTo(Step.YIELD);
        assertThat(next(WaitPolicy.AWAKE_NANOS - WaitPolicy.MOST_SPINNING_NANOS - 1))
                .isEqualTo(Step.YIELD);
        assertThat(next(1)).isEqualTo(Step.SLEEP);
    }

    @Test
    void wakeOrWork_beginsTheWaitAnew() {
        waitInVain();
        assertThat(next(0)).isNotEqualTo(Step.SLEEP);
        next(WaitPolicy.AWAKE_NANOS - 1);
        policy.found();
        assertThat(next(0)).isNotEqualTo(Step.SLEEP);
    }

    @Test
    void moreThreadsThanCores_neverSpin() {
        policy = new WaitPolicy(true, WaitPolicy.AWAKE_NANOS);

        assertThat(next(0)).isEqualTo(Step.YIELD);
        policy.found();
        assertThat(next(0)).isEqualTo(Step.YIELD);
    }

    @Test
    void spinningInVain_isShortened_andWorkFoundBySpinningLengthensIt() {
        long first = waitInVain();
        long second = waitInVain();
        assertThat(second).isLessThan(first);
        for (int i = 0; i < 10; i++) {
            waitInVain();
        }
        assertThat(waitInVain()).isBetween(1L, WaitPolicy.LEAST_SPINNING_NANOS + 100);

        for (int i = 0; i < 10; i++) {
            next(0);
            policy.found();
        }
        assertThat(waitInVain()).isEqualTo(first);
    }

    @Test
    void dearYields_haveWaitsSleepAtOnce_forAWhile() {
        next(WaitPolicy.MOST_SPINNING_NANOS);
        next(WaitPolicy.MOST_SPINNING_NANOS);
        yielded(9 * WaitPolicy.DEAR_NANOS);
        policy.found();

        assertThat(next(0)).isEqualTo(Step.SLEEP);
        policy.found();
        assertThat(next(WaitPolicy.SLEEPING_NANOS - 1)).isEqualTo(Step.SLEEP);
        assertThat(next(1)).isNotEqualTo(Step.SLEEP);
    }

    @Test
    void singleYieldThatCostsMore_isNoSign() {
        for (int i = 0; i < 1_000; i++) {
            next(0);
            assertThat(next(WaitPolicy.MOST_SPINNING_NANOS)).isEqualTo(Step.YIELD);
            yielded(i % 100 == 50 ? 2 * WaitPolicy.DEAR_NANOS : CHEAP);
            policy.found();
        }
    }

    @Test
    void manyYieldsThatCostMore_areASign() {
        assertThat(dearYieldsUntilSleep()).isBetween(2, 20);
    }

    @Test
    void moreThreadsThanCores_yieldHoweverDearThatIs() {
        policy = new WaitPolicy(true, WaitPolicy.AWAKE_NANOS);

        assertThat(dearYieldsUntilSleep()).isEqualTo(100);
    }

    private int dearYieldsUntilSleep() {
        int yields = 0;
        next(0);
        while (next(WaitPolicy.MOST_SPINNING_NANOS) == Step.YIELD && yields < 100) {
            yielded(WaitPolicy.DEAR_NANOS * 3 / 2);
            policy.found();
            next(0);
            yields++;
        }
        return yields;
    }
}
