package io.reactivecomm.rcomm.gpu.check;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The outcome of one check.
 *
 * @param name of the row
 * @param state what became of it
 * @param values what was measured, by name in the order of measuring: numbers and texts
 * @param reason why it was skipped or failed; empty if it was measured
 * @param claim what the row may be quoted for, and what not
 */
public record CheckRow(String name, State state, Map<String, Object> values, String reason, String claim) {

    /** The end of a check. */
    public enum State {
        MEASURED,
        /** Something is not on this machine. */
        SKIPPED,
        /** Something is here and does not do what it should. */
        FAILED
    }

    /** Keeps the order of the values. */
    public CheckRow {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** {@return the outcome in one line} */
    public String text() {
        return switch (state) {
            case MEASURED ->
                values.entrySet().stream()
                        .map(value -> value.getKey() + "=" + value.getValue())
                        .collect(Collectors.joining(", "));
            case SKIPPED -> "skipped: " + reason;
            case FAILED -> "failed: " + reason;
        };
    }
}
