package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShareTest {

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 4", "1, 4", "3, 4", "4, 4", "5, 4", "29, 4", "32, 7", "1437, 16"})
    void of_allRanks_coversAllOnceAndEvenly(int items, int ranks) {
        int next = 0;
        for (int rank = 0; rank < ranks; rank++) {
            Share share = Share.of(items, rank, ranks);
            assertThat(share.from()).isEqualTo(next);
            assertThat(share.to() - share.from()).isBetween(items / ranks, items / ranks + 1);
            next = share.to();
        }
        assertThat(next).isEqualTo(items);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "0, 4", "1, 4", "5, 4", "6, 3", "1437, 16"})
    void growing_allRanks_coversAllOnce_andMoreOnHigherRanks(int items, int ranks) {
        int next = 0;
        for (int rank = 0; rank < ranks; rank++) {
            Share share = Share.growing(items, rank, ranks);
            assertThat(share.from()).isEqualTo(next);
            double expected = 2.0 * items * (rank + 1) / (ranks * (ranks + 1));
            assertThat((double) (share.to() - share.from())).isBetween(expected - 1, expected + 1);
            next = share.to();
        }
        assertThat(next).isEqualTo(items);
    }
}
