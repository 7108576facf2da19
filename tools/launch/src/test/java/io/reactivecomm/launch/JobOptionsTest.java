package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class JobOptionsTest {

    private static final IntFunction<Map<String, String>> OF_RANK = rank -> Map.of("C", "of " + rank);

    @Test
    void of_noRanks_isRefused() {
        assertThatThrownBy(() -> JobOptions.of(0, List.of("true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("number of ranks is not positive: n=0; start at least one");
    }

    @Test
    void of_noCommand_isRefused() {
        assertThatThrownBy(() -> JobOptions.of(1, List.of())).hasMessageContaining("no command to start");
    }

    @Test
    void withGrace_negative_isRefused() {
        JobOptions options = JobOptions.of(1, List.of("true"));
        assertThatThrownBy(() -> options.withGrace(Duration.ofSeconds(-1))).hasMessageContaining("grace=PT-1S");
    }

    @Test
    void with_eachPart_changesOnlyThat() {
        JobOptions options = JobOptions.of(2, List.of("true"))
                .withGrace(Duration.ofSeconds(7))
                .withKillDelay(Duration.ofSeconds(3))
                .withEnvironment(Map.of("A", "b"))
                .withRankEnvironment(OF_RANK);
        assertThat(options)
                .isEqualTo(new JobOptions(
                        2, List.of("true"), Map.of("A", "b"), OF_RANK, Duration.ofSeconds(7), Duration.ofSeconds(3)));
    }
}
