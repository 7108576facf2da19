package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.Turn;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Takes the end of an opening or a freeing that the engine behind was given. The first end counts.
 *
 * <p><b>Threads.</b> Any.
 */
final class OpeningCompletion implements Turn.Sink {

    private final String engine;
    private final GroupOpening opening;
    private final Member member;
    private final Executor tasks;
    private final AtomicBoolean ended = new AtomicBoolean();

    OpeningCompletion(String engine, GroupOpening opening, Member member, Executor tasks) {
        this.engine = engine;
        this.opening = opening;
        this.member = member;
        this.tasks = tasks;
    }

    @Override
    public void done() {
        end(null);
    }

    @Override
    public void failed(@Nullable Failure cause) {
        if (cause == null) {
            end(FailureTexts.unsaid(engine, opening));
        } else {
            end(cause);
        }
    }

    private void end(@Nullable Failure cause) {
        if (ended.compareAndSet(false, true)) {
            tasks.execute(() -> member.openingEnded(opening, cause));
        }
    }
}
