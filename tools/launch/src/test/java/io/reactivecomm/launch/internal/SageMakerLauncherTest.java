package io.reactivecomm.launch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.WorldProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** A container of SageMaker, and MPI's ranks on AzureML, with the variables that these set. */
class SageMakerLauncherTest {

    private final Map<String, String> environment = new HashMap<>(
            Map.of("SM_HOSTS", "[\"algo-1\",\"algo-2\"]", "SM_CURRENT_HOST", "algo-2", "SM_NUM_GPUS", "4"));

    private CommConfig discovered() {
        return ServiceLoader.load(WorldProvider.class).findFirst().orElseThrow().discover(environment);
    }

    @Test
    void onlyProcessOfAHost_hasTheHostsPlace() {
        assertThat(discovered().rank()).isEqualTo(1);
        assertThat(discovered().worldSize()).isEqualTo(2);
        assertThat(discovered().host()).isEqualTo("algo-1");
        assertThat(discovered().port()).isEqualTo(29500);
    }

    @Test
    void processForEachGpu_countsByLocalRank() {
        environment.put("LOCAL_RANK", "3");
        assertThat(discovered().rank()).isEqualTo(7);
        assertThat(discovered().worldSize()).isEqualTo(8);
        environment.putAll(Map.of("SM_NUM_GPUS", "0", "LOCAL_RANK", "0"));
        assertThat(discovered().worldSize()).isEqualTo(2);
    }

    @Test
    void hostThatIsNotListed_isRefused() {
        environment.put("SM_CURRENT_HOST", "algo-3");
        assertThatThrownBy(this::discovered)
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("SM_CURRENT_HOST=algo-3", "algo-1");
    }

    @Test
    void mpiOnAzureMl_takesTheAddressFromIt_whereRanksAreOnSeveralHosts() {
        environment.clear();
        environment.putAll(Map.of(
                "OMPI_COMM_WORLD_RANK",
                "5",
                "OMPI_COMM_WORLD_SIZE",
                "8",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
                "4",
                "AZ_BATCHAI_MPI_MASTER_NODE",
                "10.0.0.9",
                "PMIX_NAMESPACE",
                "17"));
        assertThat(discovered().host()).isEqualTo("10.0.0.9");
        environment.put("AZ_BATCH_MASTER_NODE", "10.0.0.4:6000");
        assertThat(discovered().host()).isEqualTo("10.0.0.4");
        assertThat(discovered().port()).isEqualTo(DerivedPort.of("17"));
        environment.put("OMPI_COMM_WORLD_LOCAL_SIZE", "8");
        assertThat(discovered().host()).isEqualTo("127.0.0.1");
        environment.put("MASTER_ADDR", "other");
        assertThat(discovered().host()).isEqualTo("other");
    }
}
