package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.HostPlace;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.WorldProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pod of Kubeflow Trainer v2, with the variables that its torch policy sets. */
class KubeflowLauncherTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "PET_NNODES", "4",
            "PET_NPROC_PER_NODE", "1",
            "PET_NODE_RANK", "2",
            "PET_MASTER_ADDR", "train-node-0-0.train",
            "PET_MASTER_PORT", "29400",
            "JOB_COMPLETION_INDEX", "2"));

    private CommConfig discovered() {
        return ServiceLoader.load(WorldProvider.class).findFirst().orElseThrow().discover(environment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "auto", "cpu", "gpu"})
    void onlyProcessOfAPod_hasThePodsPlace(String perNode) {
        environment.put("PET_NPROC_PER_NODE", perNode);

        assertThat(discovered()).satisfies(config -> {
            assertThat(config.rank()).isEqualTo(2);
            assertThat(config.worldSize()).isEqualTo(4);
            assertThat(config.host()).isEqualTo("train-node-0-0.train");
            assertThat(config.port()).isEqualTo(29400);
            assertThat(config.place()).isEqualTo(new HostPlace(null, 0, 1, 2, 4));
        });
    }

    @Test
    void severalProcessesOfAPod_countByLocalRank() {
        environment.putAll(Map.of("PET_NPROC_PER_NODE", "3", "LOCAL_RANK", "1"));
        assertThat(discovered().rank()).isEqualTo(7);
        assertThat(discovered().worldSize()).isEqualTo(12);
        assertThat(discovered().place()).isEqualTo(new HostPlace(null, 1, 3, 2, 4));
        environment.putAll(Map.of("PET_NPROC_PER_NODE", "auto", "LOCAL_WORLD_SIZE", "2"));
        assertThat(discovered().rank()).isEqualTo(5);
    }

    @Test
    void placeThatIsNone_isRefusedWithTheVariable() {
        environment.put("PET_NPROC_PER_NODE", "8");
        assertThatThrownBy(this::discovered)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("PET_NPROC_PER_NODE=8", "LOCAL_RANK");
        environment.put("LOCAL_RANK", "8");
        assertThatThrownBy(this::discovered)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("LOCAL_RANK=8");
        environment.put("PET_NNODES", "1:4");
        assertThatThrownBy(this::discovered)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("PET_NNODES=1:4");
    }

    @Test
    void rankAndWorldSize_asTrainerOneSetsThem_win() {
        environment.putAll(
                Map.of("RANK", "0", "WORLD_SIZE", "2", "MASTER_ADDR", "job-master-0", "MASTER_PORT", "23456"));
        assertThat(discovered().worldSize()).isEqualTo(2);
        assertThat(discovered().port()).isEqualTo(23456);
    }
}
