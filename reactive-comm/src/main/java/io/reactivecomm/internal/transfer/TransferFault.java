package io.reactivecomm.internal.transfer;

/** The reason why a step of a call cannot be done, as far as this rank's memory and operators are concerned. */
public sealed interface TransferFault {

    /** The {@link Spoiled#culprit()} that stands for this rank itself. */
    int OWN = -1;

    /**
     * A caller's own operator threw, or memory that a call had borrowed is gone.
     *
     * @param culprit the rank whose it was, in the world, or {@link #OWN}
     */
    record Spoiled(int culprit, String why) implements TransferFault {}

    /** The machine has no memory of that size. */
    record NoMemory(long bytes) implements TransferFault {}
}
