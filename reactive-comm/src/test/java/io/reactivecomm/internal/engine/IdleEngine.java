package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An engine beside the one over links that does nothing, and says what it hears of a call.
 *
 * @param told takes the rank with what has become of the call there, and the cause
 */
record IdleEngine(int rank, @Nullable String rivalName, BiConsumer<String, Failure> told)
        implements QueueEntry.Foreign.Performer, CollectiveEngine {

    @Override
    public CollectiveEngine engine() {
        return this;
    }

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public long startedAt() {
        return 0;
    }

    @Override
    public void begin() {}

    @Override
    public void fail(CallKey key, Failure cause) {
        told.accept(rank + " " + cause.kind(), cause);
    }

    @Override
    public void refuse(CallKey key, Failure cause) {
        told.accept(rank + " refused", cause);
    }

    @Override
    public void sentElsewhere(EngineGroup group, CallKey.Message message, Failure cause) {
        told.accept(rank + " elsewhere " + message.label(), cause);
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return null;
    }

    @Override
    public void submit(EngineCall call, Sink sink) {}

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
    public void close() {}
}
