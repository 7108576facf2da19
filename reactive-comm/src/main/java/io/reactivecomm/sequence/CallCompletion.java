package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
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

    @Override
    public void succeeded(Completion completion) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.ended(entry, null));
            entry.sink().succeeded(completion);
        }
    }

    @Override
    public void failed(Failure failure) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.ended(entry, failure));
            entry.sink().failed(failure);
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
