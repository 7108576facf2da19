package io.reactivecomm.sequence;

import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes the end of a call that the engine behind was given: tells who subscribed, and then the member. The first end counts.
 *
 * <p><b>Threads.</b> Any.
 */
final class Ending implements CollectiveEngine.Sink {

    private final Entry entry;
    private final Member member;
    private final Executor tasks;
    private final AtomicBoolean ended = new AtomicBoolean();

    Ending(Entry entry, Member member, Executor tasks) {
        this.entry = entry;
        this.member = member;
        this.tasks = tasks;
    }

    @Override
    public void succeeded(String algorithm) {
        if (ended.compareAndSet(false, true)) {
            entry.sink().succeeded(algorithm);
            tasks.execute(() -> member.ended(entry, null));
        }
    }

    @Override
    public void failed(Failure failure) {
        if (ended.compareAndSet(false, true)) {
            entry.sink().failed(failure);
            tasks.execute(() -> member.ended(entry, failure));
        }
    }
}
