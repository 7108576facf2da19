package io.reactivecomm.netty;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineProvider;
import reactor.core.publisher.Mono;

/** An engine that never comes to be open. */
public final class EndlessEngineProvider implements EngineProvider {

    /** For {@link java.util.ServiceLoader}. */
    public EndlessEngineProvider() {}

    @Override
    public String name() {
        return "endless";
    }

    @Override
    public Mono<CollectiveEngine> open(ProcessGroup control) {
        return Mono.never();
    }
}
