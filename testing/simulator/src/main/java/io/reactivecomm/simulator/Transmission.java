package io.reactivecomm.simulator;

import io.reactivecomm.spi.link.Frame;
import org.jspecify.annotations.Nullable;

/** The content that crosses a {@link Wire} in one go. */
sealed interface Transmission {

    /** A frame other than data. */
    record Control(Frame frame) implements Transmission {}

    /** The header of a data frame. */
    record Head(long grant, int lengthBytes) implements Transmission {}

    /** Some bytes of the payload whose header came before. */
    record Bytes(byte[] bytes) implements Transmission {}

    /** A payload that lies where its sender has it. */
    record Lent(VirtualLoan loan) implements Transmission {}

    /** The link has ended; with a cause if not in good order. */
    record End(@Nullable String cause) implements Transmission {}
}
