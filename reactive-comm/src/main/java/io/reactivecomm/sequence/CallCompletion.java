package io.reactivecomm.sequence;

import io.reactivecomm.CommException;
import io.reactivecomm.Handle;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes the end of a call that the engine behind was given: tells the member, and then who subscribed. The first end counts.
 *
 * <p>In this order, because a subscriber may close the group at once: the member must not take the call for a running one then.
 *
 * <p><b>Threads.</b> Any.
 */
final class CallCompletion implements CollectiveEngine.Sink {

    private final MemberCall entry;
    private final Member member;
    private final Executor tasks;
    private final AtomicBoolean ended = new AtomicBoolean();

    CallCompletion(MemberCall entry, Member member, Executor tasks) {
        this.entry = entry;
        this.member = member;
        this.tasks = tasks;
    }

    /** One that is enqueued runs until its handle ends: the member's deadline and the group's end are its own until then. */
    @Override
    public void succeeded(Completion completion) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        if (completion.handle() == Handle.DONE) {
            tasks.execute(() -> member.ended(entry, null));
        } else {
            completion.handle().completed().subscribe(ignored -> {}, this::handleFailed, () -> tasks.execute(() -> member.ended(entry, null)));
        }
        entry.sink().succeeded(named(completion));
    }

    /** {@return what is known of the end, with the source that a receive from any has been given} */
    private Completion named(Completion completion) {
        int peer = entry.call().collective() instanceof Receive receive ? receive.peer() : completion.peer();
        return completion.withPeer(peer);
    }

    private void handleFailed(Throwable error) {
        EngineGroup group = entry.call().group();
        CommException cause = error instanceof CommException known ? known : new CommException("an enqueued call failed: cause=" + error, error);
        tasks.execute(() -> member.ended(entry, Failure.of(cause, group.worldRanks().get(group.rank()))));
    }

    @Override
    public void failed(Failure failure, Handle hands) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.ended(entry, failure));
            entry.sink().failed(failure, hands);
        }
    }

    @Override
    public void runFailed(CallKey.Ticket run, Failure failure) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.ended(entry, failure));
            entry.sink().runFailed(run, failure);
        }
    }
}
