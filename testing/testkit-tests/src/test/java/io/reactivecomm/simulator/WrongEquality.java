package io.reactivecomm.simulator;

import io.reactivecomm.spi.CallKey;
import java.util.Objects;

/** Planted in place of the equality of call keys. */
public final class WrongEquality {

    private WrongEquality() {}

    /** {@return whether two calls are one, but for their groups} */
    public static boolean ofAnyGroup(Object one, Object other) {
        return one instanceof CallKey.Ticket a
                && other instanceof CallKey.Ticket b
                && a.ticket() == b.ticket()
                && a.ordinal() == b.ordinal()
                && a.name().equals(b.name());
    }

    /** {@return whether two calls are one, but for which subscription they are} */
    public static boolean ofAnyOrdinal(Object one, Object other) {
        return one instanceof CallKey.Ticket a
                && other instanceof CallKey.Ticket b
                && a.group() == b.group()
                && a.ticket() == b.ticket()
                && a.name().equals(b.name());
    }

    /** {@return whether two calls are one, but for the steps that they are in} */
    public static boolean ofAnyStep(Object one, Object other) {
        return one instanceof CallKey.Ticket a
                && other instanceof CallKey.Ticket b
                && a.group() == b.group()
                && a.ticket() == b.ticket()
                && a.ordinal() == b.ordinal()
                && a.name().equals(b.name())
                && Objects.equals(a.enclosure(), b.enclosure());
    }

    /** {@return whether two calls are one, but for the composites that they are in} */
    public static boolean ofAnyRun(Object one, Object other) {
        return one instanceof CallKey.Ticket a
                && other instanceof CallKey.Ticket b
                && a.group() == b.group()
                && a.ticket() == b.ticket()
                && a.ordinal() == b.ordinal()
                && a.name().equals(b.name());
    }
}
