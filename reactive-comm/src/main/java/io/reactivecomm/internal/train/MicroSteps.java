package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Accumulation;
import io.reactivecomm.train.TrainingStep;
import org.jspecify.annotations.Nullable;

/**
 * The groups of micro-steps of a runner. Each step that a program begins belongs to one, and the last of a group reduces.
 *
 * <pre>
 *   steps     0      1      2      3         4      5      flush
 *   groups    local  local  local  reduces   local  local  reduces      withAccumulation(4)
 * </pre>
 *
 * <p>A micro-step is counted when it is subscribed to, so a failed or cancelled one takes its place, too.
 *
 * <p><b>Threads.</b> Any.
 */
public final class MicroSteps {

    private final int most;
    private final @Nullable GradientSums sums;
    /** The group that has begun and does not reduce yet. */
    private @Nullable MicroStepGroup group;

    /** @param most micro-steps of a group, 1 or more */
    public MicroSteps(int most, Accumulation owner) {
        if (most < 1) {
            throw new InvalidCallException(
                    "a group of micro-steps has none: microSteps=" + most + "; give 1 to reduce in each step, or more");
        }
        this.most = most;
        this.sums = most > 1 && owner == Accumulation.LIBRARY ? new GradientSums() : null;
    }

    /** {@return the group to which a step belongs that begins now} */
    public synchronized MicroStepGroup next(TrainingStep step) {
        if (group == null) {
            group = new MicroStepGroup(most, sums);
        }
        MicroStepGroup its = group;
        its.begin(step);
        if (its.isFull()) {
            group = null;
        }
        return its;
    }

    /** {@return the group that is to reduce although it is not full; null if no micro-step is pending} */
    public synchronized @Nullable MicroStepGroup flush() {
        MicroStepGroup pending = group;
        group = null;
        return pending;
    }

    /** {@return the number of micro-steps whose sums have not been reduced} */
    public synchronized int pending() {
        return group == null ? 0 : group.begun();
    }
}
