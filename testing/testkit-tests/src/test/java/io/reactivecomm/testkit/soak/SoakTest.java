package io.reactivecomm.testkit.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The soak, for as many seconds as {@code -Dsoak.seconds} says. */
@Tag("thorough")
@Timeout(7200)
class SoakTest {

    private static final int RANKS = 8;
    private static final Duration ROUND = Duration.ofSeconds(30);

    @Test
    void localRanks_coalescingForLong_haveTheirResults() {
        LocalSoak.Outcome outcome =
                LocalSoak.run(RANKS, Duration.ofSeconds(Integer.getInteger("soak.seconds", 60)), ROUND);

        System.out.println(outcome);
        outcome.errors().forEach(Throwable::printStackTrace);
        assertThat(outcome.errors()).isEmpty();
        assertThat(outcome.turns()).isPositive();
    }
}
