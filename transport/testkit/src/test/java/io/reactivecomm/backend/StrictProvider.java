package io.reactivecomm.backend;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineContext;
import io.reactivecomm.spi.EngineProvider;
import io.reactivecomm.spi.OrderedEngine.Formation;
import java.util.Set;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** An engine for ranks of this JVM that refuses any disorder, behind a sequencer. */
public class StrictProvider implements EngineProvider {

    private final String name;
    private final Formation formation;

    /** For {@link java.util.ServiceLoader}: groups are opened by their members. */
    public StrictProvider() {
        this("strict", Formation.MEMBERS);
    }

    StrictProvider(String name, Formation formation) {
        this.name = name;
        this.formation = formation;
    }

    /** The same, whose groups are opened by all ranks of those that they were made of. */
    public static final class Splitting extends StrictProvider {

        /** For {@link java.util.ServiceLoader}. */
        public Splitting() {
            super("strict-split", Formation.PARENT);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> SequencedEngine.of(name(), control, new StrictEngine(StrictMeeting.of(world), control.rank(), control.size(), formation)));
    }
}
