package io.reactivecomm.timing;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Timing operators that give their figures to the program; {@link CommsLogger#timed(String)} is one that keeps them in a log.
 *
 * {@snippet :
 * CallTiming.timed(group.allReduce(gradients, ReduceOp.AVG).then(group.barrier()))
 *         .subscribe(timed -> System.out.println(timed.figures().calls() + " calls took " + timed.figures().nanos() + " ns"));
 * }
 *
 * <p>They hear of the calls that are subscribed to under them, whoever else observes these, and whatever stands between, but for an operator that subscribes
 * without its subscriber's Context. Their clock is that of {@link reactor.core.scheduler.Schedulers#parallel()}, calls have the loop's.
 *
 * <p><b>Threads.</b> Any.
 */
public final class CallTiming {

    private CallTiming() {}

    /** {@return the value, with the figures until it came; nothing if there is none, and its error if it fails} */
    public static <T> Mono<TimedValue<T>> timed(Mono<T> mono) {
        Objects.requireNonNull(mono, "there is nothing to time; give a Mono");
        return Mono.defer(() -> {
            Live<T> live = new Live<>();
            return mono.transform(live.operator).map(live::with);
        });
    }

    /** {@return the items, each with the figures until it came} */
    public static <T> Flux<TimedValue<T>> timed(Flux<T> flux) {
        Objects.requireNonNull(flux, "there is nothing to time; give a Flux");
        return Flux.defer(() -> {
            Live<T> live = new Live<>();
            return flux.transform(live.operator).map(live::with);
        });
    }

    /**
     * {@return an operator, for {@code transform}, that gives the figures of each subscription when it ends, fails or is cancelled, before its subscriber hears
     * of that}
     *
     * @param told should be short; what it throws is an error of the subscription, if that may still have one
     */
    public static <T> Function<Publisher<T>, Publisher<T>> timed(Consumer<? super CallFigures> told) {
        Objects.requireNonNull(told, "nobody is told of the figures; give who takes them");
        return TimedSubscriber.operator(() -> new TimedRun(new FigureKeeper(told)));
    }

    /** One subscription whose figures are looked at while it goes on. */
    private static final class Live<T> {

        private final FigureKeeper keeper = new FigureKeeper(ignored -> {});
        private final TimedRun run = new TimedRun(keeper);
        private final Function<Publisher<T>, Publisher<T>> operator = TimedSubscriber.operator(() -> run);

        private TimedValue<T> with(T value) {
            return new TimedValue<>(value, keeper.figures(run.nanos(), run.calls()));
        }
    }
}
