package io.reactivecomm.backend;

import io.reactivecomm.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.spi.EnqueuedHandle;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.OrderedEngine;
import io.reactivecomm.spi.Turn;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The strict double as a library that cannot be stopped, and that has a queue: a call that fails while it runs ends at once, and is let go of only when
 * the test says so; one that may end as it is enqueued does.
 */
final class TenaciousEngine implements OrderedEngine {

    /** What failed and has not been let go of, of all engines of this JVM. */
    private static final List<Hands> HELD = new CopyOnWriteArrayList<>();

    private final StrictEngine strict;
    private final List<Hands> running = new CopyOnWriteArrayList<>();

    TenaciousEngine(StrictEngine strict) {
        this.strict = strict;
    }

    /** The library lets go of all that it has held. */
    static void letGo() {
        HELD.forEach(EnqueuedHandle::letGo);
        HELD.clear();
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return strict.refusal(group, kind);
    }

    @Override
    public boolean enqueues() {
        return true;
    }

    @Override
    public void run(List<Turn> batch) {
        List<Turn.Call> held = Turn.calls(batch).stream().map(turn -> new Turn.Call(turn.call(), new Hands(turn))).toList();
        held.forEach(turn -> ((Hands) turn.sink()).begin());
        strict.run(List.copyOf(held));
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        running.stream().filter(each -> each.turn.call().group().id() == group.id()).forEach(each -> each.abandon(cause));
        strict.abandonGroup(group, cause);
    }

    @Override
    public void closeGroup(EngineGroup group) {
        abandonGroup(group, new Failure(Failure.Kind.CLOSED, strict.rank(), "the tenacious engine's group was closed"));
    }

    @Override
    public void close() {
        running.forEach(each -> each.abandon(new Failure(Failure.Kind.CLOSED, strict.rank(), "the tenacious engine was closed")));
        strict.close();
    }

    /** One call that runs, as the strict double's sink and as the handle of its own. */
    private final class Hands extends EnqueuedHandle implements CollectiveEngine.Sink {

        private final Turn.Call turn;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Hands(Turn.Call turn) {
            this.turn = turn;
        }

        private void begin() {
            running.add(this);
            if (turn.call().isEnqueued()) {
                turn.sink().succeeded(Completion.of("queued").withHandle(this));
            }
        }

        private void abandon(Failure cause) {
            if (isOver.compareAndSet(false, true)) {
                running.remove(this);
                HELD.add(this);
                if (turn.call().isEnqueued()) {
                    failed(cause.toException());
                } else {
                    turn.sink().failed(cause, this);
                }
            }
        }

        @Override
        public void succeeded(Completion completion) {
            if (isOver.compareAndSet(false, true)) {
                running.remove(this);
                if (turn.call().isEnqueued()) {
                    succeeded();
                } else {
                    turn.sink().succeeded(completion);
                }
            }
        }

        @Override
        public void failed(Failure failure, Handle hands) {
            abandon(failure);
        }

        @Override
        public void runFailed(CallKey.Ticket run, Failure failure) {
            throw new IllegalStateException("the strict double fails no runs: " + failure);
        }
    }
}
