package io.reactivecomm.netty;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.SequencedEngine;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.EngineProvider;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.OrderedEngine;
import java.util.List;
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
    public Mono<CollectiveEngine> open(ProcessGroup control) {
        return Mono.fromSupplier(() -> SequencedEngine.of(name(), control, new Instant()));
    }

    private static final class Instant implements OrderedEngine {

        @Override
        public boolean supports(Operation operation, DType type) {
            return operation == Operation.ALL_REDUCE;
        }

        @Override
        public void run(List<Turn> batch) {
            batch.forEach(turn -> turn.sink().succeeded("instant"));
        }

        @Override
        public void abandonGroup(EngineGroup group, Failure cause) {}

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {}
    }
}
