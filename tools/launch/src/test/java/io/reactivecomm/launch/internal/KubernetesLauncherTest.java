package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KubernetesLauncherTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "JOB_COMPLETION_INDEX", "12",
            "HOSTNAME", "train-12",
            "WORLD_SIZE", "16",
            "MASTER_ADDR", "train-0.workers"));

    private Optional<Map<String, String>> translated() {
        return new KubernetesLauncher().translate(environment);
    }

    @Test
    void translate_otherLauncher_isEmpty() {
        environment.remove("JOB_COMPLETION_INDEX");
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_rankSet_leavesItAlone() {
        environment.put("RANK", "0");
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_templateComplete_placesThePod() {
        assertThat(translated().orElseThrow())
                .containsAllEntriesOf(environment)
                .containsEntry("RANK", "12")
                .containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void translate_noWorldSize_saysWhereToSetIt() {
        environment.remove("WORLD_SIZE");
        assertThatThrownBy(this::translated)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("JOB_COMPLETION_INDEX=12", "WORLD_SIZE", "completions");
    }

    @Test
    void translate_noAddress_namesPodZeroAndTheService() {
        environment.remove("MASTER_ADDR");
        assertThatThrownBy(this::translated)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("headless Service", "train-0.SUBDOMAIN");
        environment.put("HOSTNAME", "other");
        assertThatThrownBy(this::translated).hasMessageContaining("JOB-0.SUBDOMAIN");
    }

    @Test
    void translate_worldOfOne_needsNoAddress() {
        environment.remove("MASTER_ADDR");
        environment.putAll(Map.of("JOB_COMPLETION_INDEX", "0", "WORLD_SIZE", "1"));
        assertThat(translated().orElseThrow()).containsEntry("MASTER_ADDR", "127.0.0.1");
    }
}
