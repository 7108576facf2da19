package io.reactivecomm.nccl;

import io.reactivecomm.CommConfig;
import io.reactivecomm.nccl.cuda.CudaMemory;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.RankMemory;
import io.reactivecomm.spi.engine.RankMemoryProvider;

/** The opener of CUDA's memory for engines other than NCCL's: {@code RCOMM_BACKEND=cuda:mpi}. */
public final class CudaMemoryProvider implements RankMemoryProvider {

    /** For {@link java.util.ServiceLoader}. */
    public CudaMemoryProvider() {}

    @Override
    public String kind() {
        return CudaMemory.KIND;
    }

    @Override
    public RankMemory open(EngineContext context) {
        return CudaMemory.ofRank(
                NcclEngineProvider.device(context, CommConfig.settings(System.getenv())),
                "rank" + context.control().rank());
    }
}
