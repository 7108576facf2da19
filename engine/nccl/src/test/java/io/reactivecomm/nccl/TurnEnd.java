package io.reactivecomm.nccl;

import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The end of a turn, in words. */
final class TurnEnd implements CollectiveEngine.Sink, Turn.Sink {

    private static final long LIMIT_SECONDS = 20;

    private final CompletableFuture<String> told = new CompletableFuture<>();
    private boolean isThrowing;

    @Override
    public void succeeded(Completion completion) {
        tell("succeeded");
    }

    @Override
    public void failed(Failure failure, Handle hands) {
        tell(failure.text());
    }

    @Override
    public void runFailed(CallKey.Ticket run, Failure failure) {
        tell(failure.text());
    }

    @Override
    public void done() {
        tell("done");
    }

    @Override
    public void failed(Failure cause) {
        tell(cause.text());
    }

    private void tell(String end) {
        told.complete(end);
        if (isThrowing) {
            throw new InternalError("thrown by who is told");
        }
    }

    /** Throws when it is told, from here on. */
    void throwWhenTold() {
        isThrowing = true;
    }

    CompletableFuture<String> told() {
        return told;
    }

    String await() {
        return told.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join();
    }
}
