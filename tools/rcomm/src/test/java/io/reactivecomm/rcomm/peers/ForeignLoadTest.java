package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ForeignLoadTest {

    private static final List<String> TWO_CPUS = List.of(
            "cpu  5687518 68494 1237501 4543622 8788 0 66468 3808 77 88",
            "cpu0 2843759 34247 618750 2271811 4394 0 33234 1904 0 0",
            "cpu1 2843759 34247 618751 2271811 4394 0 33234 1904 0 0",
            "intr 5");

    @Test
    void parse_stat_countsNicedStolenAndAllTicks() {
        assertThat(ForeignLoad.parse(TWO_CPUS)).isEqualTo(new ForeignLoad(68494, 3808, 11616199, 2));
    }

    @Test
    void complaints_moreThanATenthOfOneOfTwoCpus_sayWhoHadIt() {
        ForeignLoad before = new ForeignLoad(100, 40, 1000, 2);
        assertThat(new ForeignLoad(200, 40, 1200, 2).complaintsSince(before))
                .containsExactly("others' niced programs took 100% of a CPU meanwhile; better measure again");
        assertThat(new ForeignLoad(100, 60, 1200, 2).complaintsSince(before))
                .containsExactly("other virtual machines took 20% of a CPU meanwhile; better measure again");
        assertThat(new ForeignLoad(110, 50, 1200, 2).complaintsSince(before))
                .as("a tenth each")
                .isEmpty();
    }

    @Test
    void complaints_nothingKnown_areNone() {
        ForeignLoad unknown = ForeignLoad.parse(List.of("cpu 1 2", "nonsense"));
        assertThat(unknown.complaintsSince(unknown)).isEmpty();
    }
}
