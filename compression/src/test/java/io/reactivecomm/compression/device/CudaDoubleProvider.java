package io.reactivecomm.compression.device;

import io.reactivecomm.nccl.NcclEngineProvider;
import io.reactivecomm.nccl.doubles.CudaDouble;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Map;
import java.util.Set;
import reactor.core.publisher.Mono;

/** The opener of the engine over NCCL on the doubles; all ranks of the JVM have one device. */
public final class CudaDoubleProvider implements EngineProvider {

    /** The engine's name. */
    public static final String NAME = "nccl-double";

    /** For {@link java.util.ServiceLoader}. */
    public CudaDoubleProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> devices() {
        return Set.of("cuda");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        // CUDA's comes first: JCuda finds it by its name then.
        CudaDouble.JVM.forgetFaults();
        String library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL).toString();
        return new NcclEngineProvider(Map.of("RCOMM_CUDA_DEVICE", "0", "RCOMM_NCCL_LIBRARY", library)).open(context);
    }
}
