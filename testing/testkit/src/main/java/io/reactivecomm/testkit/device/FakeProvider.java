package io.reactivecomm.testkit.device;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.OrderedEngine;
import java.util.Set;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** An engine for ranks of this JVM whose tensors are in the memory of fake devices: {@code cpu:links,fake:fake}. */
public final class FakeProvider implements EngineProvider {

    @Override
    public String name() {
        return FakeMemory.KIND;
    }

    @Override
    public Set<String> devices() {
        return Set.of(FakeMemory.KIND);
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        ProcessGroup control = context.control();
        return control.broadcastObject(UUID.randomUUID().toString(), 0, String.class)
                .map(world -> SequencedEngine.of(name(), control, engine(world, control.size(), control.rank())));
    }

    /** {@return a rank's engine in a world of that name, which all its ranks give} For a double that stands in front of it. */
    public static OrderedEngine engine(String world, int size, int rank) {
        return new FakeEngine(FakeMeeting.of(world, size), rank);
    }

    /** {@return worlds that some rank's engine has not left} */
    public static Set<String> open() {
        return FakeMeeting.open();
    }
}
