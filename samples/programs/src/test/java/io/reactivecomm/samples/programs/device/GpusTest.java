package io.reactivecomm.samples.programs.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class GpusTest {

    private static final Map<String, String> NOTHING_TOLD = Map.of();

    private static Gpus one(int ncclVersion) {
        return new Gpus("a GPU", 1, false, ncclVersion);
    }

    @Test
    void rankWithAGpuOfItsOwn_isToldNothing() {
        assertThat(one(23_003).variables(0, 1, NOTHING_TOLD)).isEmpty();
    }

    @Test
    void ranksThatShareAGpu_areToldWhichAndAllowedTo() {
        assertThat(one(23_003).variables(1, 2, NOTHING_TOLD))
                .isEqualTo(Map.of("RCOMM_CUDA_DEVICE", "0", "NCCL_MULTI_RANK_GPU_ENABLE", "1"));
        assertThat(one(22_809).variables(1, 2, NOTHING_TOLD))
                .isEqualTo(Map.of("RCOMM_CUDA_DEVICE", "0", "NCCL_HOSTID", "rank-1", "NCCL_SOCKET_IFNAME", "lo"));
        assertThat(new Gpus("three GPUs", 3, false, 23_003).variables(4, 5, NOTHING_TOLD))
                .containsEntry("RCOMM_CUDA_DEVICE", "1");
    }

    @Test
    void deviceThatIsTold_stays_andMayBeShared() {
        Map<String, String> told = Map.of("RCOMM_CUDA_DEVICE", "2");
        assertThat(new Gpus("four GPUs", 4, false, 23_003).variables(1, 2, told))
                .isEqualTo(Map.of("NCCL_MULTI_RANK_GPU_ENABLE", "1"));
    }

    @Test
    void doubles_areSharedWithoutLeave() {
        assertThat(new Gpus("doubles", 8, true, 23_003).variables(9, 10, NOTHING_TOLD))
                .isEqualTo(Map.of("RCOMM_CUDA_DEVICE", "1"));
    }
}
