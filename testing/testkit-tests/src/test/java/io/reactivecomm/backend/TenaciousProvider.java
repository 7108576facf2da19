package io.reactivecomm.backend;

import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.Formation;
import java.util.Set;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** The strict double with a queue, and hands that it cannot take back. */
public final class TenaciousProvider implements EngineProvider {

    @Override
    public String name() {
        return "tenacious";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return context.control()
                .broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> new StrictEngine(
                        StrictMeeting.of(world), context.control().rank(), Formation.NOBODY))
                .map(strict -> SequencedEngine.of(
                        name(),
                        context.control(),
                        TenaciousEngine.untilTold(strict, context.control().rank())));
    }
}
