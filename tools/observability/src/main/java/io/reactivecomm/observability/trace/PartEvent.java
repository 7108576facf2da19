package io.reactivecomm.observability.trace;

import io.reactivecomm.internal.timeline.EventWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event as a part has it, whose fields are what anybody may have written there.
 *
 * @param lines where it comes from, for errors
 */
record PartEvent(ObjectNode json, PartLines lines) {

    /** A quarter of what a long holds, so that sums and differences are one: a clock may run for 73 years. */
    private static final long MOST_NANOS = 1L << 61;

    private static final int MOST_DIGITS = 30;

    String kind() {
        return json.path("ph").asString("");
    }

    String name() {
        return json.path("name").asString("");
    }

    String category() {
        return json.path("cat").asString("");
    }

    /** {@return where in the trace it is} */
    TraceLane lane() {
        return new TraceLane(number("pid") - EventWriter.FIRST, number("tid"));
    }

    private int number(String field) {
        JsonNode value = json.path(field);
        if (!value.isInt() || value.intValue() < 1) {
            throw lines.failure(field + " is no number of a rank or lane: " + field + "="
                    + EventWriter.shortened(value.toString()));
        }
        return value.intValue();
    }

    boolean hasTime() {
        return json.has("ts");
    }

    /** {@return its time in nanoseconds} */
    long nanos() {
        JsonNode value = json.path("ts");
        if (value.isNumber()) {
            BigDecimal micros = value.decimalValue();
            // Before it is made a long: a few letters may stand for more digits than there is memory.
            if (micros.precision() <= MOST_DIGITS && Math.abs(micros.scale()) <= MOST_DIGITS) {
                BigDecimal nanos = micros.movePointRight(3).setScale(0, RoundingMode.HALF_EVEN);
                if (nanos.abs().compareTo(BigDecimal.valueOf(MOST_NANOS)) <= 0) {
                    return nanos.longValueExact();
                }
            }
        }
        throw lines.failure("ts is no time: ts=" + EventWriter.shortened(value.toString()));
    }

    /** {@return one of its args that is a number} */
    long arg(String name) {
        JsonNode value = json.path("args").path(name);
        boolean isWhole = value.isIntegralNumber() && value.canConvertToLong();
        if (!isWhole || value.longValue() > MOST_NANOS || value.longValue() < -MOST_NANOS) {
            throw lines.failure(name + " is no such number: " + name + "=" + EventWriter.shortened(value.toString()));
        }
        return value.longValue();
    }

    String textArg(String name) {
        return json.path("args").path(name).asString("");
    }

    boolean isClock() {
        return kind().equals("i") && category().equals(EventWriter.CLOCK);
    }
}
