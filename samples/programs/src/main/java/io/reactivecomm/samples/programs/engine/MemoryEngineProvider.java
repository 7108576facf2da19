package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Opens the {@link MemoryEngine} by its name, {@code memory}, for tensors of the host. */
public final class MemoryEngineProvider implements EngineProvider {

    /** By the name of the world. A world that has ended leaves a few bytes behind: this is an example. */
    private static final Map<String, Hall> HALLS = new ConcurrentHashMap<>();

    /** For {@link java.util.ServiceLoader}. */
    public MemoryEngineProvider() {}

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    /** The ranks agree on what they need to meet: rank 0 names the hall. NCCL's unique id would travel so. */
    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> HALLS.computeIfAbsent(world, ignored -> new Hall()))
                .map(hall -> new MemoryEngine(
                        control.rank(),
                        hall,
                        task -> Schedulers.boundedElastic().schedule(task)))
                .map(engine -> SequencedEngine.of(name(), control, engine));
    }
}
