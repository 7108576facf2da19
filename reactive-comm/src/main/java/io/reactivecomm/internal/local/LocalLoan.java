package io.reactivecomm.internal.local;

import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A payload on its way to another rank of this JVM: the sender's own memory.
 *
 * <p>The sender may free that memory once it has taken it back, so it does not take it back while it is being read. It waits for the end
 * of that one piece.
 *
 * <pre>
 *            begin / end
 *   LENT &lt;---------------&gt; BEING_READ
 *     | takeBack, giveBack     | giveBack
 *     v                        |
 *   BACK &lt;---------------------+
 * </pre>
 *
 * <p><b>Threads.</b> {@link #takeBack} on the sender's loop, all else on the reader's.
 */
final class LocalLoan implements Loan {

    private static final int LENT = 0;
    private static final int BEING_READ = 1;
    private static final int BACK = 2;

    private final Frame.Data frame;
    private final boolean scarce;
    private final Consumer<Frame.Data> returned;
    private final AtomicInteger state = new AtomicInteger(LENT);

    /** @param returned is told, on the reader's loop, that the memory was given back */
    LocalLoan(Frame.Data frame, boolean scarce, Consumer<Frame.Data> returned) {
        this.frame = frame;
        this.scarce = scarce;
        this.returned = returned;
    }

    Frame.Data frame() {
        return frame;
    }

    /** {@return whether the sender has its memory again} */
    boolean isBack() {
        return state.get() == BACK;
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
        return state.compareAndSet(LENT, BEING_READ);
    }

    @Override
    public boolean end() {
        state.set(LENT);
        return true;
    }

    @Override
    public void giveBack() {
        state.set(BACK);
        returned.accept(frame);
    }

    /** Has the memory for the sender alone when it returns. */
    void takeBack() {
        while (state.get() != BACK && !state.compareAndSet(LENT, BACK)) {
            Thread.yield();
        }
    }
}
