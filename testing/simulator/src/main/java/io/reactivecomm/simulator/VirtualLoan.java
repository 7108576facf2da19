package io.reactivecomm.simulator;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;

/** A payload that the receiver reads in the sender's memory, unless that has taken it back; also notes what a reader may never do. */
final class VirtualLoan implements Loan {

    private final VirtualNetwork network;
    private final Frame.Data frame;
    private final boolean scarce;
    private final Runnable returned;
    private boolean takenBack;
    private boolean reading;
    private boolean over;

    /** @param returned is told that the reader has given the memory back */
    VirtualLoan(VirtualNetwork network, Frame.Data frame, boolean scarce, Runnable returned) {
        this.network = network;
        this.frame = frame;
        this.scarce = scarce;
        this.returned = returned;
    }

    Frame.Data frame() {
        return frame;
    }

    boolean isTakenBack() {
        return takenBack;
    }

    void takeBack() {
        takenBack = true;
    }

    @Override
    public MemorySegment memory() {
        return frame.payload();
    }

    @Override
    public boolean isScarce() {
        return scarce;
    }

    @Override
    public boolean begin() {
        if (over || reading) {
            throw new Violation("a loan was read after it was given back, or twice at once: grant=" + frame.grant());
        }
        reading = true;
        if (!takenBack) {
            network.memory().checkBorrowed(frame.payload(), "read");
        }
        return !takenBack;
    }

    @Override
    public boolean end() {
        reading = false;
        return !takenBack;
    }

    @Override
    public void giveBack() {
        if (over) {
            throw new Violation("a loan was given back twice: grant=" + frame.grant());
        }
        over = true;
        returned.run();
    }
}
