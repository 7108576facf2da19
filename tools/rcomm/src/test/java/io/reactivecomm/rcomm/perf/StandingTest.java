package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTest {

    private static final Entrant GLOO = new Entrant.Theirs(PeerKind.GLOO, Congestion.STOCK);

    @Test
    void of_threeRounds_isTheMedianRoundWithinAllBounds() {
        Standing standing = Standing.of(
                GLOO,
                List.of(
                        Rows.row(1000, "gloo", "call", 10),
                        Rows.row(8, "gloo", "call", 3),
                        Rows.row(1000, "gloo", "call", 40),
                        Rows.row(1000, "gloo", "call", 20)));
        assertThat(standing.rows()).hasSize(2);
        PerfRow median = standing.rows().getFirst();
        assertThat(median.medianMicros()).isEqualTo(20);
        assertThat(median.minMicros()).isEqualTo(5);
        assertThat(median.maxMicros()).isEqualTo(80);
        assertThat(median.busbwGBps()).isEqualTo(0.05);
        assertThat(median.algbwGBps()).isEqualTo(0.05);
    }

    @Test
    void of_errorsInOneRound_keepsThem() {
        PerfRow right = Rows.row(8, "tcp", "gather-fold", 3);
        PerfRow wrong = new PerfRow("all-reduce", 2, 8, "tcp", "private", "float32", "gather-fold", 3, 3, 3, 1, 1, 7);
        assertThat(Standing.of(GLOO, List.of(right, wrong)).rows())
                .extracting(PerfRow::errors)
                .containsExactly(7L);
    }

    @Test
    void of_twoWays_staysTwoRows() {
        assertThat(Standing.of(GLOO, List.of(Rows.row(8, "gloo", "in-flight", 3), Rows.row(8, "gloo", "in-turn", 4)))
                        .rows())
                .extracting(PerfRow::algorithm)
                .containsExactly("in-flight", "in-turn");
    }
}
