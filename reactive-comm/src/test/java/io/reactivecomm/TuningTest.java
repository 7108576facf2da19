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
        assertThat(Tuning.fromEnvironment(Map.of("RCOMM_WAITING", "Spin", "RCOMM_CONGESTION", "cubic")))
                .isEqualTo(new Tuning(Waiting.SPIN, "cubic"));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "Reno", "re no", "a-name-that-no-kernel-has", "\u0000"})
    void congestion_thatNoSystemKnows_isRefused_withTheVariable(String name) {
        assertThatThrownBy(() -> new Tuning(Waiting.PARK, name))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_CONGESTION=" + name)
                .hasMessageContaining(Tuning.SYSTEM);
    }

    @Test
    void waiting_thatThereIsNot_isRefused_withWhatThereIs() {
        assertThatThrownBy(() -> Tuning.fromEnvironment(Map.of("RCOMM_WAITING", "doze")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_WAITING=doze")
                .hasMessageContaining("adaptive, spin, park");
    }

    @Test
    void changedCopies_changeOneThing() {
        CommConfig config = CommConfig.of(0, 1, "localhost", 1).withWaiting(Waiting.SPIN).withCongestion("cubic");
        assertThat(config.tuning()).isEqualTo(new Tuning(Waiting.SPIN, "cubic"));
        assertThat(config.withWaiting(Waiting.PARK).tuning()).isEqualTo(new Tuning(Waiting.PARK, "cubic"));
    }
}
