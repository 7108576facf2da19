package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlurmLauncherTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "SLURM_PROCID", "5",
            "SLURM_NTASKS", "8",
            "SLURM_LOCALID", "1",
            "SLURM_JOB_ID", "4711",
            "SLURM_STEP_ID", "0",
            "SLURM_JOB_NODELIST", "node[03-04],gpu5"));

    private Optional<Map<String, String>> translated() {
        return new SlurmLauncher().translate(environment);
    }

    private Map<String, String> place() {
        return translated().orElseThrow();
    }

    @Test
    void translate_otherLauncher_isEmpty() {
        environment.remove("SLURM_PROCID");
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_rankAndWorldSizeSet_leavesThemAlone() {
        environment.putAll(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        assertThat(translated()).isEmpty();
    }

    @Test
    void translate_severalNodes_meetsOnTheFirst() {
        assertThat(place())
                .containsAllEntriesOf(environment)
                .containsEntry("RANK", "5")
                .containsEntry("WORLD_SIZE", "8")
                .containsEntry("MASTER_ADDR", "node03")
                .containsEntry("MASTER_PORT", Integer.toString(DerivedPort.of("4711.0")));
    }

    @Test
    void translate_stepWithinAnAllocation_takesTheStepsTasksAndNodes() {
        environment.putAll(
                Map.of("SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2", "SLURM_STEP_NODELIST", "node[04,03]"));
        assertThat(place()).containsEntry("WORLD_SIZE", "2").containsEntry("MASTER_ADDR", "node04");
    }

    @Test
    void translate_twoStepsOfAJob_meetAtTwoPorts() {
        String first = place().get("MASTER_PORT");
        environment.put("SLURM_STEP_ID", "1");
        assertThat(place().get("MASTER_PORT")).isNotEqualTo(first);
    }

    @Test
    void translate_oldNamesOfVariables_areRead() {
        environment.keySet().removeAll(Set.of("SLURM_JOB_ID", "SLURM_JOB_NODELIST"));
        environment.putAll(Map.of("SLURM_JOBID", "4711", "SLURM_NODELIST", "n[7-8]"));
        assertThat(place())
                .containsEntry("MASTER_ADDR", "n7")
                .containsEntry("MASTER_PORT", Integer.toString(DerivedPort.of("4711.0")));
    }

    @Test
    void translate_oneNode_meetsOnLoopback() {
        environment.put("SLURM_JOB_NODELIST", "node03");
        assertThat(place()).containsEntry("MASTER_ADDR", "127.0.0.1");
    }

    @Test
    void translate_oneTask_needsNoList() {
        environment.keySet().removeAll(Set.of("SLURM_JOB_NODELIST", "SLURM_JOB_ID"));
        environment.putAll(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "1"));
        assertThat(place()).containsEntry("MASTER_ADDR", "127.0.0.1").containsEntry("MASTER_PORT", "29500");
    }

    @Test
    void translate_addressAndPortGiven_takesThem() {
        environment.putAll(Map.of("MASTER_ADDR", "head", "MASTER_PORT", "4000", "SLURM_JOB_NODELIST", "broken["));
        assertThat(place()).containsEntry("MASTER_ADDR", "head").containsEntry("MASTER_PORT", "4000");
    }

    @Test
    void translate_noNumberOfTasks_namesTheVariable() {
        environment.remove("SLURM_NTASKS");
        assertThatThrownBy(this::place).isInstanceOf(RendezvousException.class).hasMessageContaining("SLURM_NTASKS");
    }

    @Test
    void translate_noNodes_namesTheVariable() {
        environment.remove("SLURM_JOB_NODELIST");
        assertThatThrownBy(this::place).isInstanceOf(RendezvousException.class).hasMessageContaining("SLURM_NODELIST");
    }
}
