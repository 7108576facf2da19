package io.reactivecomm.testkit.faults;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end that a cell came to.
 *
 * @param after from the fault to the moment at which the last survivor knew, or, where nobody is to be told, was seen to go on
 * @param text what the last survivor was told, with the error's type; null if nobody was
 * @param left what was held or lay about afterwards
 * @param faults how it differs from what was expected
 */
public record CellOutcome(
        Cell cell, @Nullable Duration after, @Nullable String text, List<String> left, List<String> faults) {

    public CellOutcome {
        left = List.copyOf(left);
        faults = List.copyOf(faults);
    }

    /** {@return whether it is as expected, and nothing was left} */
    public boolean isGood() {
        return left.isEmpty() && faults.isEmpty();
    }
}
