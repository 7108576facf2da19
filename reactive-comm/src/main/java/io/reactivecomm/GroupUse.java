package io.reactivecomm;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.OwnThreads;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** The run of a program with a group, which is closed at the end. If the program fails, the group is first aborted with the reason. */
final class GroupUse {

    private static final String CANCELLED = "its program was cancelled";

    private GroupUse() {}

    static <T extends @Nullable Object, E extends Exception> T run(
            Mono<ProcessGroup> connecting, GroupProgram<T, E> program) throws E {
        ProcessGroup group = connecting
                .blockOptional()
                .orElseThrow(() -> new InvalidCallException(
                        "there is no group to use: group=none; use a group of which this rank is a member"));
        T result;
        try {
            result = program.run(group);
        } catch (Throwable problem) {
            uninterrupted(() -> fail(group, problem));
            throw problem;
        }
        uninterrupted(group::close);
        return result;
    }

    static <T> Mono<T> mono(
            Mono<ProcessGroup> connecting, Function<? super ProcessGroup, ? extends Mono<? extends T>> program) {
        return Mono.usingWhen(
                connecting,
                group -> Mono.fromDirect(
                        subscriber -> begin(group, program, new Guard<T>(Operators.toCoreSubscriber(subscriber)))),
                group -> offLoop(group::close),
                (group, problem) -> offLoop(() -> fail(group, problem)),
                group -> offLoop(() -> {
                    group.abort(CANCELLED);
                    group.close();
                }));
    }

    private static <T> void begin(
            ProcessGroup group, Function<? super ProcessGroup, ? extends Mono<? extends T>> program, Guard<T> guard) {
        try {
            Objects.requireNonNull(
                            program.apply(group),
                            "the program gave no Mono: mono=null; return one, such as Mono.empty()")
                    .subscribe(guard);
        } catch (Throwable problem) {
            guard.thrown(problem);
        }
    }

    /**
     * The subscriber of a program's Mono. What the Mono throws as it begins is its error: Reactor lets fatal errors, and errors of a callable, pass to the thread
     * that connects, and no subscriber learns of them.
     */
    private static final class Guard<T> implements CoreSubscriber<T> {

        private final CoreSubscriber<? super T> subscriber;
        private boolean isSubscribed;
        private volatile boolean isEnded;

        private Guard(CoreSubscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public Context currentContext() {
            return subscriber.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            isSubscribed = true;
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(T result) {
            subscriber.onNext(result);
        }

        @Override
        public void onError(Throwable problem) {
            isEnded = true;
            subscriber.onError(problem);
        }

        @Override
        public void onComplete() {
            isEnded = true;
            subscriber.onComplete();
        }

        private void thrown(Throwable problem) {
            if (isEnded) {
                Operators.onErrorDropped(problem, currentContext());
            } else if (isSubscribed) {
                onError(problem);
            } else {
                Operators.error(subscriber, problem);
            }
        }
    }

    /** Closing blocks until the links are flushed. */
    private static Mono<Void> offLoop(Runnable end) {
        return Mono.<Void>fromRunnable(end).subscribeOn(OwnThreads.shared());
    }

    /** The program's exception remains the primary one; errors while ending the group are suppressed in it. */
    private static void fail(ProcessGroup group, Throwable problem) {
        try (group) {
            group.abort(ErrorTexts.describe(problem));
        } catch (Exception | Error more) {
            if (more != problem) {
                problem.addSuppressed(more);
            }
        }
    }

    /** An interrupted thread would not wait for the links, so the other ranks might miss the reason. */
    private static void uninterrupted(Runnable end) {
        boolean isInterrupted = Thread.interrupted();
        try {
            end.run();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
