package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TorchrunLauncherTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "TORCHELASTIC_RUN_ID", "none",
            "RANK", "2",
            "WORLD_SIZE", "4",
            "MASTER_ADDR", "node7",
            "MASTER_PORT", "29500"));

    private Map<String, String> place() {
        return new TorchrunLauncher().translate(environment).orElseThrow();
    }

    @Test
    void translate_otherLauncher_isEmpty() {
        environment.remove("TORCHELASTIC_RUN_ID");
        assertThat(new TorchrunLauncher().translate(environment)).isEmpty();
    }

    @Test
    void translate_plain_takesAllAsTheyAre() {
        environment.put("RCOMM_TIMEOUT_SECONDS", "30");
        assertThat(place()).isEqualTo(environment);
    }

    @Test
    void translate_agentStore_takesTheNextPort() {
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "True");
        assertThat(place()).containsEntry("MASTER_PORT", "29501");
    }

    @Test
    void translate_agentStoreOnTheLastPort_takesThePreviousOne() {
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "True");
        environment.put("MASTER_PORT", "65535");
        assertThat(place()).containsEntry("MASTER_PORT", "65534");
    }

    @Test
    void translate_noAgentStore_keepsThePort() {
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "False");
        assertThat(place()).containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void translate_storePortGiven_takesIt() {
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "True");
        environment.put("RCOMM_MASTER_PORT", "31000");
        assertThat(place()).containsEntry("MASTER_PORT", "31000");
    }

    @Test
    void translate_noRank_saysSo() {
        environment.remove("RANK");
        assertThatThrownBy(this::place)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("torchrun left out a variable: variable=RANK");
    }

    @Test
    void translate_portNotANumber_namesIt() {
        environment.put("MASTER_PORT", "many");
        assertThatThrownBy(this::place)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("MASTER_PORT=many");
    }
}
