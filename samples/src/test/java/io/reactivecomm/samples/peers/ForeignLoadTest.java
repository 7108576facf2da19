package io.reactivecomm.samples.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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
    void share_halfOfTwoCpus_isOneWholeCpu() {
        ForeignLoad before = new ForeignLoad(100, 40, 1000, 2);
        ForeignLoad after = new ForeignLoad(200, 60, 1200, 2);
        assertThat(after.nicedSince(before).orElseThrow()).isCloseTo(1.0, within(1e-12));
        assertThat(after.stolenSince(before).orElseThrow()).isCloseTo(0.2, within(1e-12));
        assertThat(new ForeignLoad(100, 40, 1200, 2).nicedSince(before).orElseThrow()).isZero();
    }

    @Test
    void share_nothingKnown_isEmpty() {
        ForeignLoad unknown = ForeignLoad.parse(List.of("cpu 1 2", "nonsense"));
        assertThat(unknown.nicedSince(unknown)).isEmpty();
        assertThat(unknown.stolenSince(unknown)).isEmpty();
    }
}
