package io.reactivecomm.netty.internal.life;

import static io.reactivecomm.netty.internal.life.HeartbeatSimulation.MILLI;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.netty.internal.life.HeartbeatSimulation.Compared;
import io.reactivecomm.netty.internal.life.HeartbeatSimulation.Weather;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The comparison of clocks, by beats of simulated worlds whose clocks are anywhere and run at different speeds, and by single ones. */
class PeerClockTest {

    private static final HeartbeatTerms TERMS = new HeartbeatTerms(100 * MILLI, 3000 * MILLI);
    private static final long SECONDS = 35;
    private static final int WORLD = 4;

    private final PeerClock clock = new PeerClock();

    private static List<Compared> compared(Weather weather, long seed) {
        return new HeartbeatSimulation(WORLD, TERMS, weather, (from, to, at) -> true, seed)
                .run(1000 * SECONDS * MILLI)
                .compared;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void offset_isWithinItsBound_whateverTheClocks_thoughBeatsAreLostAndDelayed(long seed) {
        List<Compared> compared = compared(new Weather(20, 80), seed);
        assertThat(compared)
                .as("seed=%d", seed)
                .allSatisfy(each -> assertThat(Math.abs(each.error()))
                        .isLessThanOrEqualTo(each.estimate().boundNanos()));
        assertThat(compared.stream().filter(each -> each.error() != 0)).isNotEmpty();
        assertThat(compared.stream()
                        .map(each -> WORLD * each.rank() + each.peer())
                        .distinct())
                .hasSize(WORLD * (WORLD - 1));
    }

    @Test
    void estimate_isToldAnew_inEachWindow_andOftenerWhereItIsMuchBetter() {
        List<Compared> compared = compared(new Weather(0, 80), 6);
        List<Compared> ofOne = compared.stream()
                .filter(each -> each.rank() == 0 && each.peer() == 1)
                .toList();
        assertThat(ofOne.size()).isBetween(3, 25);
        for (int i = 1; i < ofOne.size(); i++) {
            PeerClock.Estimate before = ofOne.get(i - 1).estimate();
            PeerClock.Estimate next = ofOne.get(i).estimate();
            boolean isMuchBetter = next.boundNanos() < before.boundNanos() - before.boundNanos() / 4;
            assertThat(isMuchBetter || next.at() - before.at() > 0).isTrue();
        }
        assertThat(ofOne.getLast().estimate().boundNanos()).isLessThan(20 * MILLI);
    }

    @Test
    void quickestRound_isTold_ofThoseInAWindow() {
        long ahead = 5_000 * MILLI;
        assertThat(round(1000, ahead, 8)).isEqualTo(estimate(1008, ahead, 8));
        assertThat(round(2000, ahead, 7)).as("hardly better").isNull();
        assertThat(round(3000, ahead, 20)).as("worse").isNull();
        assertThat(round(4000, ahead, 2)).as("much better").isEqualTo(estimate(4002, ahead, 2));
        assertThat(round(5000, ahead, 9)).isNull();
        assertThat(round(6000, ahead, 6)).isNull();
        assertThat(round(14_010, ahead, 9)).as("the best of the next window").isEqualTo(estimate(6006, ahead, 6));
    }

    /** A round whose ways take so long each, and whose answer leaves at once. */
    private PeerClock.Estimate round(long sentMillis, long ahead, long wayMillis) {
        long came = (sentMillis + wayMillis) * MILLI + ahead;
        return clock.heard(new ClockStamps(came, sentMillis * MILLI, came), (sentMillis + 2 * wayMillis) * MILLI);
    }

    private static PeerClock.Estimate estimate(long atMillis, long offset, long boundMillis) {
        long bound = boundMillis * MILLI;
        return new PeerClock.Estimate(atMillis * MILLI, offset, bound + 2 * bound / PeerClock.MOST_DRIFT + 1);
    }

    @Test
    void stamps_thatCannotBe_areNoComparison() {
        long now = 100_000 * MILLI;
        assertThat(clock.heard(ClockStamps.NONE, now)).isNull();
        assertThat(clock.stamps(now)).as("one without stamps is not echoed").isEqualTo(new ClockStamps(now, 0, 0));
        assertThat(clock.heard(new ClockStamps(7, 0, 0), now)).as("no echo").isNull();
        assertThat(clock.heard(new ClockStamps(7, now + 1, 7), now))
                .as("an echo of what is to come")
                .isNull();
        assertThat(clock.heard(new ClockStamps(7, now - PeerClock.OLDEST_NANOS - 1, 7), now))
                .as("an old one")
                .isNull();
        assertThat(clock.heard(new ClockStamps(7, now - MILLI, 8), now))
                .as("sent before it came")
                .isNull();
        assertThat(clock.heard(new ClockStamps(3 * MILLI, now - MILLI, 1), now))
                .as("longer at the peer than away")
                .isNull();
        assertThat(clock.heard(new ClockStamps(Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE), now))
                .isNull();
        assertThat(clock.heard(new ClockStamps(7, now - MILLI, 7), now))
                .isEqualTo(new PeerClock.Estimate(
                        now - MILLI / 2, 7 - now + MILLI / 2, MILLI / 2 + MILLI / PeerClock.MOST_DRIFT + 1));
    }
}
