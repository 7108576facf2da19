package io.reactivecomm.samples.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class NicedLoadTest {

    private static final List<String> TWO_CPUS = List.of(
            "cpu  5687518 68494 1237501 4543622 8788 0 66468 3808 77 88",
            "cpu0 2843759 34247 618750 2271811 4394 0 33234 1904 0 0",
            "cpu1 2843759 34247 618751 2271811 4394 0 33234 1904 0 0",
            "intr 5");

    @Test
    void parse_stat_countsNicedAndAllTicks() {
        assertThat(NicedLoad.parse(TWO_CPUS)).isEqualTo(new NicedLoad(68494, 11616199, 2));
    }

    @Test
    void shareSince_halfOfTwoCpus_isOneWholeCpu() {
        NicedLoad before = new NicedLoad(100, 1000, 2);
        assertThat(new NicedLoad(200, 1200, 2).shareSince(before).orElseThrow()).isCloseTo(1.0, within(1e-12));
        assertThat(new NicedLoad(100, 1200, 2).shareSince(before).orElseThrow()).isZero();
    }

    @Test
    void shareSince_nothingKnown_isEmpty() {
        NicedLoad unknown = NicedLoad.parse(List.of("cpu 1 2", "nonsense"));
        assertThat(unknown.shareSince(unknown)).isEmpty();
    }
}
