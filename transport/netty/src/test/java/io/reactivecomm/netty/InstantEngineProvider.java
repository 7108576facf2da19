package io.reactivecomm.netty;

import io.reactivecomm.Operation;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EngineProvider;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine that needs an order, and ends each all-reduce when its turn has come. */
public final class InstantEngineProvider implements EngineProvider {

    /** For {@link java.util.ServiceLoader}. */
    public InstantEngineProvider() {}

    @Override
    public String name() {
        return "instant";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return Mono.fromSupplier(() -> SequencedEngine.of(name(), context.control(), new Instant()));
    }

    private static final class Instant implements OrderedEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return kind.operation() == Operation.ALL_REDUCE ? null : "only all-reduce";
        }

        @Override
        public void run(List<Turn> batch) {
            Turn.calls(batch).forEach(turn -> turn.sink().succeeded(Completion.of("instant")));
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {}

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {}
    }
}
