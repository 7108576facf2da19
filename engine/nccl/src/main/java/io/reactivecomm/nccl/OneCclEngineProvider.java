package io.reactivecomm.nccl;

import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Opens the engine over oneCCL by its name, {@code oneccl}, for tensors of the host: {@code RCOMM_BACKEND=cpu:oneccl}. It is what DeepSpeed's CCLBackend is on CPUs.
 */
public final class OneCclEngineProvider implements EngineProvider {

    /** For {@link java.util.ServiceLoader}. */
    public OneCclEngineProvider() {}

    @Override
    public String name() {
        return "oneccl";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return NcclEngineProvider.place(() -> place(context.control().rank()))
                .flatMap(place -> NcclEngineProvider.open(name(), context, place));
    }

    private static NcclEngineProvider.Place place(int rank) {
        NcclLibrary library = NcclLibrary.open(System.getenv(), NcclDialect.ONECCL);
        return new NcclEngineProvider.Place(library, new HostLaunchStream("oneccl-rank" + rank), Long.MAX_VALUE);
    }
}
