package io.reactivecomm.bucket;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.bucket.BucketPlan.Slot;
import io.reactivecomm.hook.Gradient;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * The gradients that a step was handed and has not given back: it borrows each, and refuses those that do not belong.
 *
 * <p><b>Threads.</b> The step's worker.
 */
final class BorrowedGradients {

    private final int worldRank;
    private final KeptGradients kept;
    private final Set<Gradient> borrowed = new LinkedHashSet<>();
    /** What came before anybody knew in which order buckets take it. */
    private final Map<String, Gradient> early = new LinkedHashMap<>();

    /**
     * Those of a step.
     *
     * @param worldRank this rank, for errors
     * @param kept lets go what is given back
     */
    BorrowedGradients(int worldRank, KeptGradients kept) {
        this.worldRank = worldRank;
        this.kept = kept;
    }

    /**
     * Takes a gradient that has come.
     *
     * @param step knows its place; null as long as places are unknown
     * @throws InvalidCallException if the step cannot have it
     */
    void take(Gradient gradient, @Nullable StepProgress step) {
        if (borrowed.contains(gradient)) {
            throw twice(gradient);
        }
        if (!borrow(gradient)) {
            throw refusal("is closed", gradient, "keep it open until it comes back");
        }
        borrowed.add(gradient);
        if (step != null) {
            place(gradient, step);
        } else if (early.putIfAbsent(gradient.name(), gradient) != null) {
            throw twice(gradient);
        }
    }

    private static boolean borrow(Gradient gradient) {
        SparseTensor rows = gradient.rows();
        if (!gradient.tensor().borrow()) {
            return false;
        }
        if (rows == null || rows.indices().borrow()) {
            return true;
        }
        gradient.tensor().giveBack();
        return false;
    }

    private static void giveBack(Gradient gradient) {
        SparseTensor rows = gradient.rows();
        try {
            gradient.tensor().giveBack();
        } finally {
            if (rows != null) {
                rows.indices().giveBack();
            }
        }
    }

    private void place(Gradient gradient, StepProgress step) {
        Slot place = step.plan().place(gradient.name());
        if (place == null) {
            throw refusal(
                    "is not registered", gradient, "register it on all ranks, or make new buckets for another model");
        }
        if (!place.parameter().isOf(gradient)) {
            throw refusal(
                    "is not what was registered",
                    gradient,
                    "hand over " + place.parameter() + ", or register what comes");
        }
        if (step.at(place) != null) {
            throw twice(gradient);
        }
        step.arrived(place, gradient);
    }

    private InvalidCallException twice(Gradient gradient) {
        return refusal("came twice in one step", gradient, "hand each over once, all of it");
    }

    private InvalidCallException refusal(String what, Gradient gradient, String remedy) {
        return new InvalidCallException("a gradient " + what + ": name=" + gradient.name() + ", tensor="
                + gradient.tensor() + ", rank=" + worldRank + "; " + remedy);
    }

    /** {@return what there is, as far as it has come while places were unknown} */
    List<Parameter> learned() {
        return early.values().stream().map(Parameter::of).toList();
    }

    /** Gives those their places that came while places were unknown. */
    void place(StepProgress step) {
        early.values().forEach(gradient -> place(gradient, step));
    }

    /**
     * Gives all of them back, also if those who wait for some of the tensors throw.
     *
     * @throws RuntimeException or an {@link Error}: what the first threw, with what others did suppressed
     */
    void giveBack(List<Gradient> gradients) {
        Throwable first = null;
        for (Gradient gradient : gradients) {
            if (borrowed.remove(gradient)) {
                first = thrown(first, () -> kept.letGo(gradient));
                first = thrown(first, () -> giveBack(gradient));
            }
        }
        if (first instanceof Error error) {
            throw error;
        } else if (first instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** {@return what was thrown first, this action included} */
    private static @Nullable Throwable thrown(@Nullable Throwable before, Runnable action) {
        try {
            action.run();
            return before;
        } catch (RuntimeException | Error e) {
            return before == null ? e : Exceptions.addSuppressed(before, e);
        }
    }

    void giveAllBack() {
        giveBack(List.copyOf(borrowed));
    }
}
