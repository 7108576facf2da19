package io.reactivecomm.internal.base;

import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

/** The place and reason of a fault in a JSON text, for error messages. Jackson's own messages quote the text, which may hold a secret. */
public final class JsonFault {

    private JsonFault() {}

    /** {@return the place and the reason as {@code key=value}} Jackson gives no place for text that exceeds its limits. */
    public static String describe(JacksonException fault) {
        TokenStreamLocation place = fault.getLocation();
        return (place == null ? "" : "line=" + place.getLineNr() + ", column=" + place.getColumnNr() + ", ") + "cause="
                + reason(fault);
    }

    private static String reason(JacksonException fault) {
        return switch (fault) {
            case UnexpectedEndOfInputException ignored -> "it ends before its object does";
            case StreamConstraintsException ignored -> "it is nested too deeply, or one of its values is too long";
            default -> "an unexpected character, a repeated key, or text after the object";
        };
    }
}
