package io.reactivecomm.netty;

import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Set;
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
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return Mono.never();
    }
}
