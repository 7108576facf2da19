package io.reactivecomm.spi;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.ErrorTexts;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Steps of an attempt whose subscriber hears of whatever they throw, be it an {@link Error}.
 *
 * <p>Reactor throws what it takes for fatal, memory that is used up or a class that is missing, at whoever signals. On a loop that is a
 * task or a handler, which logs it at most. Whoever waits for the attempt would wait for ever. So what connects ranks takes its steps here.
 *
 * <p><b>Errors.</b> An exception as it is, an {@link Error} as the cause of a {@link RendezvousException}.
 */
public final class Attempt {

    private Attempt() {}

    /** Not the error itself: Reactor throws it again wherever it meets it. */
    private static RuntimeException told(Throwable problem) {
        return problem instanceof RuntimeException usual
                ? usual
                : new RendezvousException(
                        "the attempt to connect failed with an error of this JVM: cause=" + ErrorTexts.describe(problem)
                                + "; the cause tells what it lacks",
                        problem);
    }

    /** {@return a step for {@code flatMap}} */
    public static <T, R> Function<T, Mono<R>> step(Function<? super T, ? extends Mono<R>> step) {
        return value -> {
            try {
                return step.apply(value);
            } catch (Exception | Error e) {
                return Mono.error(told(e));
            }
        };
    }

    /** {@return as {@link Mono#defer} does} */
    public static <T> Mono<T> begin(Supplier<? extends Mono<T>> step) {
        return Mono.defer(() -> {
            try {
                return step.get();
            } catch (Exception | Error e) {
                return Mono.error(told(e));
            }
        });
    }

    /** {@return as {@link Mono#create} does} */
    public static <T> Mono<T> create(Consumer<MonoSink<T>> step) {
        return Mono.create(sink -> task(sink, () -> step.accept(sink)).run());
    }

    /** {@return a task, for a loop, on whose success the sink's subscriber waits} */
    public static Runnable task(MonoSink<?> sink, Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (Exception | Error e) {
                sink.error(told(e));
            }
        };
    }
}
