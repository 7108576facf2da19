package io.reactivecomm.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Limits on machines of several speeds, by clocks of the test's own. */
class MachinePaceTest {

    private static final Duration LIMIT = Duration.ofMillis(250);

    private long ran;
    private long now;
    private int slowness = 1;
    private final MachinePace pace = new MachinePace(
            () -> {
                ran += 1_000_000;
                now += slowness * 1_000_000L;
                return ran;
            },
            () -> now);

    @Test
    void limit_onAnIdleMachine_staysAsItIs() {
        assertThat(pace.stretched(LIMIT)).isEqualTo(LIMIT);
    }

    @Test
    void limit_onABusyMachine_growsWithIt_andDoesNotShrinkAgain() {
        slowness = 8;
        assertThat(pace.stretched(LIMIT)).isEqualTo(LIMIT.multipliedBy(8));
        slowness = 2;
        assertThat(pace.stretched(LIMIT)).isEqualTo(LIMIT.multipliedBy(8));
    }

    @Test
    void limit_whereTheProcessorsTimeIsNotKnown_staysAsItIs() {
        assertThat(new MachinePace(() -> -1, () -> now++).stretched(LIMIT)).isEqualTo(LIMIT);
    }
}
