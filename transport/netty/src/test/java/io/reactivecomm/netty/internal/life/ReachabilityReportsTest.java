package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class ReachabilityReportsTest {

    private static final BitSet NOBODY = new BitSet();

    private final ReachabilityReports said = new ReachabilityReports(0, 6);

    private static BitSet ranks(int... ranks) {
        BitSet set = new BitSet();
        for (int rank : ranks) {
            set.set(rank);
        }
        return set;
    }

    @Test
    void whileNobodyIsCut_nobodyIsToBeJudged() {
        said.take(3, ranks(1, 2), NOBODY, NOBODY);
        assertThat(said.accused(ranks(0, 1, 2, 3, 4, 5)).isEmpty()).isTrue();
    }

    @Test
    void endsOfCuts_andTheLost_areToBeJudged_asFarAsTheyCount() {
        said.take(1, NOBODY, ranks(3, 5), NOBODY);
        said.take(2, NOBODY, NOBODY, ranks(4));
        assertThat(said.accused(ranks(0, 1, 2, 3, 4))).isEqualTo(ranks(1, 3, 4));
        assertThat(said.cutFrom(3, ranks(0, 1, 2))).containsExactly(1);
        assertThat(said.reporter(4, ranks(0, 1, 2))).isEqualTo(2);
        said.forget(1);
        assertThat(said.accused(ranks(0, 1, 3, 4)).isEmpty()).isTrue();
    }

    @Test
    void ranksThatAreNot_areNotTaken() {
        said.take(1, ranks(6, 70), ranks(5, 6), ranks(99));
        assertThat(said.suspects(1).isEmpty()).isTrue();
        assertThat(said.cuts(1)).isEqualTo(ranks(5));
        assertThat(said.lost(1).isEmpty()).isTrue();
    }
}
