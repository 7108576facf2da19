package io.reactivecomm.sequence;

import io.reactivecomm.CommException;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end of a call that the engine behind was given: tells the member, and then who subscribed. The first end counts.
 *
 * <p>In this order, because a subscriber may close the group at once: the member must not take the call for a running one then.
 *
 * <pre>
 *   RUNNING ── the engine's end ────────────────────────────────────────────&gt; ENDED
 *      └────── the engine throws ──&gt; FORSAKEN, failed ── the engine's end ──&gt; ENDED, and let go of
 * </pre>
 *
 * <p>Forsaken is, too, what the engine does not end though its group was abandoned, or the engine closed. Of what is enqueued the handle fails then.
 *
 * <p><b>Buffers.</b> An engine that has thrown may have begun the call before, on a thread of its own. So the tensors stay borrowed until it ends the call itself.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallCompletion implements CollectiveEngine.Sink {

    private final String engine;
    private final MemberCall entry;
    private final Member member;
    private final Executor tasks;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);
    /** The engine's, in the tensors of a forsaken call; there before the call is one. */
    private final AtomicReference<@Nullable EnqueuedHandle> hands = new AtomicReference<>();
    /** Of a call that is enqueued and has not ended. */
    private volatile @Nullable EnqueuedHandle enqueued;

    private enum State {
        RUNNING,
        FORSAKEN,
        ENDED
    }

    CallCompletion(String engine, MemberCall entry, Member member, Executor tasks) {
        this.engine = engine;
        this.entry = entry;
        this.member = member;
        this.tasks = tasks;
    }

    /** One that is enqueued runs until its handle ends: the member's deadline and the group's end are its own until then. */
    @Override
    public void succeeded(@Nullable Completion completion) {
        if (completion == null) {
            failed(FailureTexts.unsaid(engine, entry), Handle.DONE);
        } else if (isFirst(completion.handle()) && isWatched(completion.handle())) {
            // A receive from any has been given its source here.
            entry.sink().succeeded(completion.withPeer(entry.call().peer()));
        }
    }

    /** {@return whether the member will hear of a handle's end; else the call has failed} */
    private boolean isWatched(Handle handle) {
        if (handle == Handle.DONE) {
            tasks.execute(() -> member.ended(entry, null));
            return true;
        }
        enqueued = handle instanceof EnqueuedHandle own ? own : null;
        try {
            handle.completed()
                    .subscribe(ignored -> {}, this::handleFailed, () -> tasks.execute(() -> member.ended(entry, null)));
            return true;
        } catch (Exception | Error e) {
            // Of a handle like that nobody will know when it is released.
            end(FailureTexts.fault(entry.rank(), engine, e), new EnqueuedHandle());
            return false;
        }
    }

    private void handleFailed(Throwable error) {
        CommException cause = error instanceof CommException known
                ? known
                : new CommException("an enqueued call failed: cause=" + CommException.describe(error), error);
        tasks.execute(() -> member.ended(entry, Failure.of(cause, entry.rank())));
    }

    @Override
    public void failed(@Nullable Failure failure, @Nullable Handle last) {
        Handle held = last == null ? Handle.DONE : last;
        if (isFirst(held)) {
            if (failure == null) {
                end(FailureTexts.unsaid(engine, entry), held);
            } else {
                end(failure, held);
            }
        }
    }

    @Override
    public void runFailed(CallKey.@Nullable Ticket run, @Nullable Failure failure) {
        if (run == null || failure == null) {
            failed(failure, Handle.DONE);
        } else if (isFirst(Handle.DONE)) {
            tasks.execute(() -> member.ended(entry, failure));
            entry.sink().runFailed(run, failure);
        }
    }

    /** The engine has thrown, or does not end the call, and may be at it all the same. Once. */
    void forsake(Failure cause) {
        EnqueuedHandle held = new EnqueuedHandle();
        EnqueuedHandle handle = enqueued;
        if (hands.compareAndSet(null, held) && state.compareAndSet(State.RUNNING, State.FORSAKEN)) {
            end(cause, held);
        } else if (handle != null) {
            handle.failed(cause.toException());
        }
    }

    private void end(Failure cause, Handle held) {
        tasks.execute(() -> member.ended(entry, cause));
        entry.sink().failed(cause, held);
    }

    /** {@return whether this is the call's end} One that has failed already is let go of when the engine's last handle is. */
    private boolean isFirst(Handle last) {
        if (state.compareAndSet(State.RUNNING, State.ENDED)) {
            return true;
        }
        EnqueuedHandle held = hands.get();
        if (state.compareAndSet(State.FORSAKEN, State.ENDED) && held != null) {
            last.released().subscribe(ignored -> {}, unknown -> {}, held::letGo);
        }
        return false;
    }
}
