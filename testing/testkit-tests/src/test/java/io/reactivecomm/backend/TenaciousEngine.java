package io.reactivecomm.backend;

import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * An ordered double as a library that cannot be stopped, and that has a queue: a call that fails while it runs ends at once, and is let go of only when
 * the test says so, or a while later; one that may end as it is enqueued does.
 */
final class TenaciousEngine implements OrderedEngine {

    /** Long enough for whoever hears of a failure to look at the tensors before. */
    private static final Duration LATE = Duration.ofMillis(20);

    /** What failed and has not been let go of, of all engines of this JVM. */
    private static final List<EnqueuedHandle> HELD = new CopyOnWriteArrayList<>();

    private final OrderedEngine ordered;
    private final int rank;
    private final Consumer<EnqueuedHandle> holding;
    private final List<Hands> running = new CopyOnWriteArrayList<>();

    private TenaciousEngine(OrderedEngine ordered, int rank, Consumer<EnqueuedHandle> holding) {
        this.ordered = ordered;
        this.rank = rank;
        this.holding = holding;
    }

    /** {@return one that lets go when it is told to, by {@link #letGo}} */
    static TenaciousEngine untilTold(OrderedEngine ordered, int rank) {
        return new TenaciousEngine(ordered, rank, HELD::add);
    }

    /** {@return one that lets go by itself, after the end of the call that has failed, from another thread} */
    static TenaciousEngine late(OrderedEngine ordered, int rank) {
        return new TenaciousEngine(
                ordered,
                rank,
                hands -> Schedulers.parallel().schedule(hands::letGo, LATE.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** The library lets go of all that it has held. */
    static void letGo() {
        HELD.forEach(EnqueuedHandle::letGo);
        HELD.clear();
    }

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return ordered.refusal(group, kind);
    }

    @Override
    public @Nullable DeviceMemory memory() {
        return ordered.memory();
    }

    @Override
    public boolean enqueues() {
        return true;
    }

    @Override
    public void run(List<Turn> batch) {
        List<Turn> all = batch.stream().map(this::held).toList();
        Turn.calls(all).forEach(turn -> ((Hands) turn.sink()).begin());
        ordered.run(all);
    }

    private Turn held(Turn turn) {
        return switch (turn) {
            case Turn.Call call -> new Turn.Call(call.call(), new Hands(call));
            case Turn.Opening opening -> opening;
            case Turn.Freeing freeing -> freeing;
        };
    }

    @Override
    public Formation formation() {
        return ordered.formation();
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        abandonCalls(group, cause);
        ordered.abandonGroup(group, cause);
    }

    @Override
    public void closeGroup(EngineGroup group) {
        abandonCalls(group, new Failure(Failure.Kind.CLOSED, rank, "the tenacious engine's group was closed"));
        ordered.closeGroup(group);
    }

    private void abandonCalls(EngineGroup group, Failure cause) {
        running.stream()
                .filter(each -> each.turn.call().group().id() == group.id())
                .forEach(each -> each.abandon(cause));
    }

    @Override
    public void close() {
        running.forEach(
                each -> each.abandon(new Failure(Failure.Kind.CLOSED, rank, "the tenacious engine was closed")));
        ordered.close();
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
                holding.accept(this);
                if (turn.call().isEnqueued()) {
                    failed(cause.toException());
                } else {
                    turn.sink().failed(cause, this);
                }
            }
        }

        /** What is behind may have a queue as well. */
        @Override
        public void succeeded(Completion completion) {
            completion
                    .handle()
                    .completed()
                    .subscribe(
                            ignored -> {},
                            error -> abandon(new Failure(
                                    Failure.Kind.INTERNAL, rank, "what was enqueued failed: cause=" + error)),
                            () -> over(completion));
        }

        private void over(Completion completion) {
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
            throw new IllegalStateException("the doubles fail no runs: " + failure);
        }
    }
}
