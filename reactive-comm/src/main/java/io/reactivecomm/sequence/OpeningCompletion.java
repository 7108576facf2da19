package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Turn;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes the end of an opening or a freeing that the engine behind was given. The first end counts.
 *
 * <p><b>Threads.</b> Any.
 */
final class OpeningCompletion implements Turn.Sink {

    private final GroupOpening opening;
    private final Member member;
    private final Executor tasks;
    private final AtomicBoolean ended = new AtomicBoolean();

    OpeningCompletion(GroupOpening opening, Member member, Executor tasks) {
        this.opening = opening;
        this.member = member;
        this.tasks = tasks;
    }

    @Override
    public void done() {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.openingEnded(opening, null));
        }
    }

    @Override
    public void failed(Failure cause) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.openingEnded(opening, cause));
        }
    }
}
