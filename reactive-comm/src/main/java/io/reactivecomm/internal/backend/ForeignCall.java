package io.reactivecomm.internal.backend;

import io.reactivecomm.CommException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.LastingBorrows;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.QueueEntry;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * A call that another engine than the one over links performs: brings its end to the loop, once.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ForeignCall implements CollectiveEngine.Sink, QueueEntry.Foreign.Performer {

    private static final Logger LOG = WarningLog.of(ForeignCall.class);

    private final RankDriver driver;
    private final Backends.Choice choice;
    private final EngineCall call;
    private final QueueEntry.Foreign entry;
    private final HandOver handOver;
    private final long startedAt;
    private final AtomicBoolean ended = new AtomicBoolean();
    /** Of what was enqueued on what the call reads, when the engine was given it. */
    private @Nullable Mono<Void> before;

    /** The way of the tensors' borrow from the sink to what outlives it. */
    @FunctionalInterface
    public interface HandOver {

        /**
         * {@return what ends the borrow}
         *
         * @param withClaim whether later calls that touch the memory are refused until then
         */
        Runnable borrow(boolean withClaim);
    }

    /**
     * @param within the run of a composite call that it is part of, or null
     * @param handOver takes the borrow of the tensors from the sink
     */
    public ForeignCall(
            RankDriver driver,
            GroupState group,
            Backends.Choice choice,
            @Nullable Composite within,
            EngineCall call,
            CallSink sink,
            HandOver handOver) {
        this.driver = driver;
        this.choice = choice;
        this.call = call;
        this.handOver = handOver;
        this.startedAt = driver.loop().nanoTime();
        this.entry = new QueueEntry.Foreign(group, call.key(), within, sink, words(), this);
    }

    /** Keeps no tensor: it may be asked for when the call is over. */
    private Supplier<String> words() {
        Supplier<String> words = call.collective().words();
        String engine = choice.name();
        return () -> words.get() + " on " + engine;
    }

    /** Has the loop hand the call to its engine in its next turn. */
    public void submit() {
        driver.begin(entry);
    }

    @Override
    public String name() {
        return choice.name();
    }

    @Override
    public long startedAt() {
        return startedAt;
    }

    @Override
    public @Nullable String rivalName() {
        return choice.hasRivals() ? choice.name() : null;
    }

    @Override
    public CollectiveEngine engine() {
        return choice.engine();
    }

    /** Of a group that this rank has closed or aborted the engine gets none: it may not have been told yet. */
    @Override
    public void begin() {
        Observation observation = entry.sink().observation();
        if (observation != null) {
            observation.begun();
        }
        GroupState group = entry.group();
        Failure ending = group.ending();
        if (ending != null) {
            failed(ending);
            return;
        }
        if (driver.isEnding(group)) {
            failed(Failures.closed(group.worldRank(group.rank())));
            return;
        }
        try {
            hand();
        } catch (Error e) {
            // Fatal to the JVM: it ends the world, whose engines may not know of this call.
            failed(failure(ErrorTexts.describe(e)));
            throw e;
        }
    }

    private void hand() {
        try {
            before = EnqueuedBefore.on(call.collective().sources(call.group().rank()));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            failed(ofTensor(e));
            return;
        }
        try {
            choice.engine().submit(call, this);
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            // Such as a library that is not there. What else is an error is the JVM's, and ends the world.
            Thrown.keepInterrupt(e);
            failed(ofEngine(ErrorTexts.describe(e)));
        }
    }

    @Override
    public void fail(CallKey key, Failure cause) {
        choice.engine().fail(call.group(), key, cause);
    }

    @Override
    public void refuse(CallKey key, Failure cause) {
        choice.engine().refused(call.group(), key, cause);
    }

    /** Who reads what something has failed to write fails with that: the device may be through with both before the host hears of the first. */
    @Override
    public void succeeded(Completion completion) {
        Mono<Void> read = before;
        Handle handle = completion.handle();
        if (!canBeWaitedFor(handle)) {
            failed(ofEngine("its handle cannot be waited for"), handle);
        } else if (read == null) {
            done(completion, handle);
        } else if (handle == Handle.DONE) {
            read.subscribe(ignored -> {}, error -> failed(unread(error)), () -> done(completion, Handle.DONE));
        } else {
            // The program's handle stays the engine's own kind, which devices can wait for.
            done(completion, EnqueuedBefore.behind(read, handle));
        }
    }

    private boolean canBeWaitedFor(Handle handle) {
        try {
            Objects.requireNonNull(handle.completed(), "a handle's end is null");
            return true;
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            Thrown.keepInterrupt(e);
            LOG.error(
                    "the handle of an enqueued call has a fault: engine={}, call={}",
                    choice.name(),
                    call.key().label(),
                    ErrorTexts.printable(e));
            return false;
        }
    }

    /** @param noted what those hear who read the results later */
    private void done(Completion completion, Handle noted) {
        Handle handle = completion.handle();
        Results results;
        try {
            note(noted);
            results = results();
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            failed(ofTensor(e), handle);
            return;
        } catch (Error e) {
            failed(ofTensor(e), handle);
            throw e;
        }
        end(null, null, handle, each -> each.succeeded(work(completion, results)));
    }

    /** The results of a call, as its tensors describe them. */
    private record Results(List<Tensor> tensors, long byteSize) {}

    private Results results() {
        Collective collective = call.collective();
        return new Results(
                collective.results(call.group().rank()),
                collective.byteSize(call.group().worldRanks().size()));
    }

    /** Later readers of the results wait for the handle. Called before the end of the call is known. */
    private void note(Handle handle) {
        if (handle != Handle.DONE) {
            call.collective().outputs().forEach(tensor -> tensor.enqueued(handle));
        } else {
            // The results are there: failures of earlier writes, which they have overwritten, are cleared.
            call.collective().writes(call.group().rank()).stream()
                    .filter(tensor -> tensor.readiness() != null)
                    .forEach(tensor -> tensor.enqueued(handle));
        }
    }

    private Failure unread(Throwable error) {
        return failure("what it was to read was not written: " + CommException.textOf(error));
    }

    private Failure ofEngine(String what) {
        return failure(what + "; the engine has a fault");
    }

    /** A tensor may be the program's own. */
    private Failure ofTensor(Throwable thrown) {
        Thrown.keepInterrupt(thrown);
        LOG.error(
                "a tensor of a call has a fault: engine={}, call={}",
                choice.name(),
                call.key().label(),
                ErrorTexts.printable(thrown));
        return failure("one of its tensors threw " + ErrorTexts.describe(thrown) + "; look at this rank's own output");
    }

    private Failure failure(String cause) {
        return new Failure(
                Failure.Kind.INTERNAL,
                call.group().worldRanks().get(call.group().rank()),
                call.collective().label() + " failed: engine=" + choice.name() + ", cause=" + cause);
    }

    @Override
    public void failed(Failure failure, Handle hands) {
        end(null, failure, hands, each -> each.failed(failure));
    }

    @Override
    public void runFailed(CallKey.Ticket run, Failure failure) {
        end(run, failure, Handle.DONE, each -> each.failed(failure));
    }

    private void end(
            CallKey.@Nullable Ticket failedRun, @Nullable Failure failure, Handle hands, Consumer<CallSink> tell) {
        if (ended.compareAndSet(false, true)) {
            if (hands != Handle.DONE) {
                // Never, if that will not be known: whose memory a lost peer's library reads or writes cannot be used
                // again.
                // After a success later calls are ordered behind it by the tensors' readiness; after a failure by
                // nothing.
                LastingBorrows.until(hands::released, driver.watched(handOver.borrow(failure != null)));
            }
            driver.end(entry, failedRun, failure, tell);
        }
    }

    private Work work(Completion completion, Results results) {
        Collective collective = call.collective();
        long endedAt = completion.endedAt() == Completion.NOW ? driver.loop().nanoTime() : completion.endedAt();
        Observation observation = entry.sink().observation();
        if (observation != null) {
            observation.over(endedAt);
        }
        return new CallSink.Success(
                collective.label(),
                results.tensors(),
                call.ticket(),
                results.byteSize(),
                endedAt - startedAt,
                choice.name(),
                completion.algorithm(),
                completion.peer() == Work.NO_PEER ? call.peer() : completion.peer(),
                completion.handle(),
                call.name(),
                call.group().worldRanks().size(),
                observation);
    }
}
