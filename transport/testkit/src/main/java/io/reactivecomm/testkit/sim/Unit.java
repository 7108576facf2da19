package io.reactivecomm.testkit.sim;

import io.reactivecomm.spi.Frame;
import org.jspecify.annotations.Nullable;

/** What crosses a {@link Wire} in one go. */
sealed interface Unit {

    /** A frame other than data. */
    record Control(Frame frame) implements Unit {}

    /** The header of a data frame. */
    record Head(long grant, int lengthBytes) implements Unit {}

    /** Some bytes of the payload whose header came before. */
    record Bytes(byte[] bytes) implements Unit {}

    /** A payload that lies where its sender has it. */
    record Lent(VirtualLoan loan) implements Unit {}

    /** The link has ended; with a cause if not in good order. */
    record End(@Nullable String cause) implements Unit {}
}
