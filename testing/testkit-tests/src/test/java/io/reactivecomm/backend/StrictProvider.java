package io.reactivecomm.backend;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.Formation;
import java.util.Set;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** An engine for ranks of this JVM that refuses any disorder, behind a sequencer. */
public class StrictProvider implements EngineProvider {

    @Override
    public String name() {
        return "strict";
    }

    /** {@return who takes part when a group is opened} */
    Formation formation() {
        return Formation.MEMBERS;
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> SequencedEngine.of(
                        name(), control, new StrictEngine(StrictMeeting.of(world), control.rank(), formation())));
    }
}
