package io.reactivecomm.samples.programs.train;

import io.reactivecomm.train.Accumulation;
import io.reactivecomm.train.Divisor;
import io.reactivecomm.train.GradientHooks;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code rcomm train} for each step, equal on all ranks. */
final class StepChoice {

    @Option(
            names = "--accumulate",
            paramLabel = "K",
            defaultValue = "1",
            description = "Computes each step in K micro-steps, of which the last reduces (default: ${DEFAULT-VALUE}).")
    private int accumulate = 1;

    @Option(names = "--clip", paramLabel = "NORM", description = "Limits the norm of all gradients of a step together.")
    private @Nullable Double clip;

    @Option(
            names = "--uneven",
            description = "Gives rank r a share of the images that grows with r: ranks finish an epoch after different"
                    + " numbers of steps, and averages are over those that have not.")
    private boolean uneven;

    /** As a command line without these options. */
    StepChoice() {}

    StepChoice(int accumulate, @Nullable Double clip, boolean uneven) {
        this.accumulate = accumulate;
        this.clip = clip;
        this.uneven = uneven;
    }

    int accumulate() {
        return accumulate;
    }

    boolean isUneven() {
        return uneven;
    }

    /** {@return whether steps are as without these options} */
    boolean isUsual() {
        return accumulate == 1 && clip == null && !uneven;
    }

    /** @param why steps are as usual */
    void requireUsual(String why) {
        if (!isUsual()) {
            throw new IllegalArgumentException(why + ": accumulate=" + accumulate + ", clip=" + clip + ", uneven="
                    + uneven + "; leave out --accumulate, --clip and --uneven");
        }
    }

    /** {@return a view of a runner whose steps are so} */
    GradientHooks of(GradientHooks hooks) {
        GradientHooks steps = hooks.withAccumulation(accumulate, Accumulation.LIBRARY);
        steps = clip == null ? steps : steps.clipByGlobalNorm(clip);
        return uneven ? steps.withUnevenInputs(Divisor.ACTIVE_RANKS) : steps;
    }

    /** {@return the unusual options in words} */
    String text() {
        List<String> parts = new ArrayList<>();
        if (accumulate > 1) {
            parts.add(accumulate + " micro-steps");
        }
        if (clip != null) {
            parts.add("gradients clipped to a norm of " + clip);
        }
        if (uneven) {
            parts.add("uneven inputs, averages over active ranks");
        }
        return "each step: " + String.join(", ", parts);
    }
}
