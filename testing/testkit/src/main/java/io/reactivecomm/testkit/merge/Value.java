package io.reactivecomm.testkit.merge;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A place of the stack or of the locals, by all that may have put a value there.
 *
 * @param isWide whether it is a long or a double, which some stack instructions treat otherwise
 */
record Value(boolean isWide, Set<Origin> origins) {

    static final Value ELSEWHERE = new Value(false, Set.of(new Origin.Elsewhere()));
    static final Value WIDE = new Value(true, Set.of(new Origin.Elsewhere()));
    static final Value NULL = new Value(false, Set.of(new Origin.Null()));

    static Value fresh(Origin.Fresh origin) {
        return new Value(false, Set.of(origin));
    }

    /** {@return what may be there where the paths of both values meet} */
    Value join(Value other) {
        if (origins.containsAll(other.origins)) {
            return this;
        }
        Set<Origin> both = new LinkedHashSet<>(origins);
        both.addAll(other.origins);
        return new Value(isWide, Set.copyOf(both));
    }

    boolean isFresh() {
        return origins.stream().anyMatch(Origin.Fresh.class::isInstance);
    }

    /** {@return whether a fresh object and something else may be there} */
    boolean isMerged() {
        return origins.size() > 1 && isFresh();
    }
}
