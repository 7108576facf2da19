package io.reactivecomm.nccl;

import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.EngineProvider;
import java.util.Set;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

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
        return Mono.fromCallable(() -> NcclLibrary.open(System.getenv(), NcclDialect.ONECCL))
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(library -> {
                    LaunchStream stream = new HostLaunchStream("oneccl-rank" + context.control().rank());
                    return NcclEngineProvider.open(name(), context, library, stream, Long.MAX_VALUE);
                });
    }
}
