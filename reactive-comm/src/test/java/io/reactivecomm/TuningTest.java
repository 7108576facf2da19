package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TuningTest {

    @Test
    void environment_isRead_andMayBeEmpty() {
        assertThat(Tuning.fromEnvironment(Map.of())).isEqualTo(Tuning.DEFAULT);
        assertThat(Tuning.fromEnvironment(
                        Map.of("RCOMM_WAITING", "Spin", "RCOMM_CONGESTION", "cubic", "RCOMM_LANES", "4")))
                .isEqualTo(new Tuning(Waiting.SPIN, "cubic", 4, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "Reno", "re no", "a-name-that-no-kernel-has", "\u0000"})
    void congestion_thatNoSystemKnows_isRefused_withTheVariable(String name) {
        assertThatThrownBy(() -> new Tuning(Waiting.PARK, name, 1, null))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_CONGESTION=" + name.strip().replace("\0", "\\u0000"))
                .hasMessageContaining(Tuning.SYSTEM);
    }

    @Test
    void waiting_thatThereIsNot_isRefused_withWhatThereIs() {
        assertThatThrownBy(() -> Tuning.fromEnvironment(Map.of("RCOMM_WAITING", "doze")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_WAITING=doze")
                .hasMessageContaining("adaptive, spin, park");
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 17})
    void lanes_outOfRange_areRefused_withTheVariable(int lanes) {
        assertThatThrownBy(() -> Tuning.fromEnvironment(Map.of("RCOMM_LANES", Integer.toString(lanes))))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_LANES=" + lanes)
                .hasMessageContaining("choose 1 to 16");
    }

    @Test
    void lanes_thatAreNoNumber_areRefused_withTheVariable() {
        assertThatThrownBy(() -> Tuning.fromEnvironment(Map.of("RCOMM_LANES", "many")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_LANES=many");
    }

    @Test
    void changedCopies_changeOneThing() {
        CommConfig config = CommConfig.of(0, 1, "localhost", 1)
                .withWaiting(Waiting.SPIN)
                .withCongestion("cubic")
                .withLanes(3);
        assertThat(config.tuning()).isEqualTo(new Tuning(Waiting.SPIN, "cubic", 3, null));
        assertThat(config.withWaiting(Waiting.PARK).tuning()).isEqualTo(new Tuning(Waiting.PARK, "cubic", 3, null));
        assertThat(config.withCongestion("reno").tuning()).isEqualTo(new Tuning(Waiting.SPIN, "reno", 3, null));
    }

    /** A link has two ends: unlike the rest of the tuning the ranks compare it. */
    @Test
    void lanes_areAmongWhatRanksCompare() {
        assertThat(CommConfig.of(0, 1, "localhost", 1).agreed()).containsEntry("RCOMM_LANES", "1");
        assertThat(CommConfig.of(0, 1, "localhost", 1).withLanes(3).agreed()).containsEntry("RCOMM_LANES", "3");
    }
}
