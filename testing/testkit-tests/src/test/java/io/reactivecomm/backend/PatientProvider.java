package io.reactivecomm.backend;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine that ends all-reduces, and does nothing, when it hears that no more are submitted in the turn. */
public final class PatientProvider implements EngineProvider {

    /** What is submitted with so many elements throws, as the JVM does when it tells late that a page of mapped memory is gone. */
    static final int UNLUCKY = 13;

    /** The calls that it has ended so. */
    static final AtomicInteger ENDED = new AtomicInteger();

    @Override
    public String name() {
        return "patient";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return context.control()
                .barrier()
                .map(work -> new Patient(
                        context.control().rank(), new ConcurrentLinkedQueue<>(), new ConcurrentLinkedQueue<>()));
    }

    /** @param lost what has thrown; it ends with the world, and not before, since its end would be news in the turn */
    private record Patient(int rank, Queue<Sink> waiting, Queue<Sink> lost) implements CollectiveEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            return kind.operation() == Operation.ALL_REDUCE ? null : "only all-reduces";
        }

        @Override
        public void submit(EngineCall call, Sink sink) {
            if (call.collective().signature().count() == UNLUCKY) {
                lost.add(sink);
                throw new InternalError("a page is gone, for the test");
            }
            waiting.add(sink);
        }

        @Override
        public void submitted() {
            for (Sink sink = waiting.poll(); sink != null; sink = waiting.poll()) {
                ENDED.incrementAndGet();
                sink.succeeded(Completion.of("patient"));
            }
        }

        @Override
        public void refused(EngineGroup group, CallKey key, Failure cause) {}

        @Override
        public void fail(EngineGroup group, CallKey key, Failure cause) {}

        @Override
        public void compositeOver(EngineGroup group, CallKey.Ticket run, Function<String, Failure> cause) {}

        @Override
        public void compositeFailed(EngineGroup group, CallKey.Ticket run, Failure cause) {}

        @Override
        public void stepped(EngineGroup group) {}

        @Override
        public void failGroup(EngineGroup group, Failure cause) {}

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {
            waiting.addAll(lost);
            waiting.forEach(
                    sink -> sink.failed(new Failure(Failure.Kind.CLOSED, rank, "the patient engine was closed")));
        }
    }
}
