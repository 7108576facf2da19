package io.reactivecomm.testkit.soak;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One world of local ranks that make coalesced calls, and others between them, until its time is over or a rank fails. */
final class SoakRound {

    /** How far ahead the end is set: no rank can be so many turns before another, for each turn has a call of all. */
    private static final long NOTICE_TURNS = 4;

    /** Longer than a turn should take, so that a world that hangs is an error. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final long seed = System.nanoTime();
    private final long endNanos;
    private final AtomicLong lastTurn = new AtomicLong(Long.MAX_VALUE);

    private SoakRound(Duration time) {
        this.endNanos = System.nanoTime() + time.toNanos();
    }

    /** Runs a round. What it takes and calls is the JDK's: it is called from classes of another loader. */
    static void run(int ranks, Duration time, LongConsumer turns, Consumer<Throwable> error) {
        SoakRound round = new SoakRound(time);
        try (LocalWorld world = ReactiveComm.local(ranks)) {
            List<Mono<Long>> all = world.groups().stream().map(round::program).toList();
            turns.accept(Flux.merge(all).reduce(Math::max).block(time.plus(LIMIT)));
        } catch (RuntimeException | AssertionError e) {
            error.accept(e);
        }
    }

    private Mono<Long> program(ProcessGroup group) {
        SoakRank rank = new SoakRank(group, seed);
        AtomicLong turn = new AtomicLong();
        return Mono.defer(() -> {
                    if (group.rank() == 0 && lastTurn.get() == Long.MAX_VALUE && System.nanoTime() - endNanos >= 0) {
                        lastTurn.set(turn.get() + NOTICE_TURNS);
                    }
                    return rank.turn(turn.getAndIncrement());
                })
                .repeat(() -> turn.get() <= lastTurn.get())
                .then(Mono.fromSupplier(turn::get))
                .doFinally(end -> rank.close());
    }
}
