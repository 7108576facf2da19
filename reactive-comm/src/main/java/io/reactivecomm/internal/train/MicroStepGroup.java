package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepView;
import io.reactivecomm.train.TrainingStep;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The micro-steps whose gradients are reduced together.
 *
 * <p>A local micro-step runs through one hook, which notes what came and gives nothing back. The step that reduces has the program's gradients, then those that
 * only earlier micro-steps had. So a gradient that came in any of them counts as present, and buckets and hooks need not know of groups.
 *
 * <p>A local micro-step that does not end well, for whatever reason, makes the group fail: its last step begins, so that other ranks learn of it, and does not run its pass.
 *
 * <p><b>Threads.</b> {@link #begin} under the lock of {@link MicroSteps}; all else in the turns of its steps, one at a time.
 */
public final class MicroStepGroup {

    private static final String NO_GRADIENTS =
            "a step has no gradients: publisher=null; return one, perhaps an empty one";

    private final int most;
    private final @Nullable GradientSums sums;
    private int begun;

    private @Nullable TrainingStep latest;

    /** The number of local micro-steps that have ended well. */
    private int ended;

    private @Nullable Throwable failure;
    /** What earlier micro-steps had, in the order of their first arrival: the latest gradient, or a notice that it is kept. */
    private final Map<String, Gradient> came = new LinkedHashMap<>();

    MicroStepGroup(int most, @Nullable GradientSums sums) {
        this.most = most;
        this.sums = sums;
    }

    void begin(TrainingStep step) {
        begun++;
        latest = step;
    }

    /** {@return the number of steps that have begun} */
    public int begun() {
        return begun;
    }

    /** {@return whether the step that has begun last is the one that reduces} */
    public boolean isFull() {
        return begun == most;
    }

    /** {@return the step that was begun last} */
    public TrainingStep latest() {
        return Objects.requireNonNull(latest, "a group has no step");
    }

    /** {@return the only hook of a local micro-step} */
    public StepHook local() {
        return new StepHook(new Noting(), HookScope.NO_CALLS, null);
    }

    /** {@return the step that reduces} @param isFlush whether all micro-steps were local ones, so that it has no pass of its own */
    public TrainingStep last(boolean isFlush) {
        TrainingStep program = latest();
        return most == 1 ? program : new Reducing(program, isFlush ? begun : begun - 1, isFlush);
    }

    /** The hook of a local micro-step. */
    private final class Noting implements GradientHook {

        @Override
        public void begins(StepView step) {
            if (ended == 0 && sums != null) {
                sums.clear();
            }
            step.ended().subscribe(nothing -> {}, error -> failure = failure == null ? error : failure, () -> ended++);
        }

        @Override
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            if (sums == null) {
                came.put(gradient.name(), gradient);
            } else {
                came.put(gradient.name(), sums.add(gradient));
            }
            return Mono.empty();
        }

        @Override
        public void absent(String name, StepView step) {
            // An earlier micro-step may have it.
        }

        @Override
        public void kept(String name, StepView step) {
            came.putIfAbsent(name, Gradient.kept(name));
        }
    }

    /** The program's step with the gradients of the whole group. */
    private final class Reducing implements TrainingStep {

        private final TrainingStep program;
        private final int locals;
        private final boolean isFlush;

        private Reducing(TrainingStep program, int locals, boolean isFlush) {
            this.program = program;
            this.locals = locals;
            this.isFlush = isFlush;
        }

        @Override
        public Flux<Gradient> gradients() {
            if (ended < locals) {
                return Flux.error(incomplete());
            }
            Flux<Gradient> own = isFlush ? Flux.empty() : Objects.requireNonNull(program.gradients(), NO_GRADIENTS);
            return own.map(this::completed).concatWith(Flux.defer(() -> Flux.fromIterable(List.copyOf(came.values()))));
        }

        private InvalidCallException incomplete() {
            InvalidCallException error = new InvalidCallException(
                    "a micro-step of this group did not end well, so the group has no sums: microSteps=" + locals
                            + ", endedWell=" + ended + ", error="
                            + (failure == null ? "cancelled before it began" : failure)
                            + "; discard the gradients of this group on all ranks, and begin the next");
            if (failure != null) {
                error.initCause(failure);
            }
            return error;
        }

        /** {@return what enters the hooks for a gradient or a notice of the last micro-step} */
        private Gradient completed(Gradient latest) {
            Gradient earlier = came.remove(latest.name());
            return switch (latest.kind()) {
                case PRODUCED ->
                    sums == null || earlier == null || earlier.kind() == Gradient.Kind.KEPT
                            ? latest
                            : sums.addTo(latest);
                case ABSENT, KEPT -> earlier == null ? latest : earlier;
            };
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return program.takeBack(reduced);
        }
    }
}
