package io.reactivecomm.backend;

import io.reactivecomm.Operation;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineContext;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EngineProvider;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine that ends each all-reduce as it is submitted, and throws where a test wants it to. */
public final class FaultyProvider implements EngineProvider {

    /** The places where an engine throws. */
    enum Place {
        NOWHERE,
        REFUSAL,
        CHECK,
        SUBMIT,
        REFUSED,
        COMPLETED,
        RELEASED
    }

    static volatile Place place = Place.NOWHERE;
    static volatile Throwable thrown = new IllegalStateException("planted");
    /** What calls end with. */
    static volatile Handle handle = Handle.DONE;

    private static void at(Place here) {
        Thrown.on(here == place ? thrown : null);
    }

    @Override
    public String name() {
        return "faulty";
    }

    @Override
    public Set<String> devices() {
        return Set.of("cpu");
    }

    @Override
    public Mono<CollectiveEngine> open(EngineContext context) {
        return context.control().barrier().map(work -> new Faulty());
    }

    /** A handle of a call that is over, which says so or throws. */
    record Over() implements Handle {

        @Override
        public Mono<Void> completed() {
            at(Place.COMPLETED);
            return Mono.empty();
        }

        @Override
        public Mono<Void> released() {
            at(Place.RELEASED);
            return Mono.empty();
        }
    }

    private record Faulty() implements CollectiveEngine {

        @Override
        public @Nullable String refusal(EngineGroup group, CallKind kind) {
            at(Place.REFUSAL);
            return kind.operation() == Operation.ALL_REDUCE ? null : "only all-reduces";
        }

        @Override
        public void requireUsable(EngineGroup group, Collective call) {
            at(Place.CHECK);
        }

        @Override
        public boolean enqueues() {
            return true;
        }

        @Override
        public void submit(EngineCall call, Sink sink) {
            at(Place.SUBMIT);
            sink.succeeded(Completion.of("faulty").withHandle(handle));
        }

        @Override
        public void refused(EngineGroup group, CallKey key, Failure cause) {
            at(Place.REFUSED);
        }

        @Override
        public void fail(EngineGroup group, CallKey key, Failure cause) {}

        @Override
        public void compositeOver(EngineGroup group, CallKey.Ticket run, Function<String, Failure> cause) {}

        @Override
        public void stepped(EngineGroup group) {}

        @Override
        public void compositeFailed(EngineGroup group, CallKey.Ticket run, Failure cause) {}

        @Override
        public void failGroup(EngineGroup group, Failure cause) {}

        @Override
        public void closeGroup(EngineGroup group) {}

        @Override
        public void close() {}
    }
}
