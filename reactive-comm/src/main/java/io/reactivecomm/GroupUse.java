package io.reactivecomm;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The run of a program with a group, which is closed at the end. If the program fails, the group is first aborted with the reason. */
final class GroupUse {

    private static final String CANCELLED = "its program was cancelled";

    private GroupUse() {}

    static <T extends @Nullable Object, E extends Exception> T run(Mono<ProcessGroup> connecting, GroupProgram<T, E> program) throws E {
        ProcessGroup group = connecting.blockOptional()
                .orElseThrow(() -> new InvalidCallException("there is no group to use: group=none; use a group of which this rank is a member"));
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

    static <T> Mono<T> mono(Mono<ProcessGroup> connecting, Function<? super ProcessGroup, ? extends Mono<? extends T>> program) {
        return Mono.usingWhen(
                connecting,
                program,
                group -> offLoop(group::close),
                (group, problem) -> offLoop(() -> fail(group, problem)),
                group -> offLoop(() -> {
                    group.abort(CANCELLED);
                    group.close();
                }));
    }

    /** Closing blocks until the links are flushed. */
    private static Mono<Void> offLoop(Runnable end) {
        return Mono.<Void>fromRunnable(end).subscribeOn(OwnThreads.shared());
    }

    /** The program's exception remains the primary one; errors while ending the group are suppressed in it. */
    private static void fail(ProcessGroup group, Throwable problem) {
        try (group) {
            group.abort(problem.toString());
        } catch (RuntimeException | Error more) {
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
