package io.reactivecomm.internal.transfer;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.observe.Observation;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;

/**
 * A call as its steps know it: what they have in common while they run.
 *
 * <p>Steps count here when they are done, and report what they cannot do; both only have the call looked at when the event that it is in is
 * over. So no step meets the end of its own call. Whoever makes calls extends this by what they are, whom they agree with and when they end; it is
 * one object with them, since a program may begin a million a second. Owned by the loop.
 */
public abstract class Transfer {

    private static final Run[] NO_RUNS = new Run[0];

    private final Resources resources;
    private final long number;
    private long fingerprint;
    private boolean needsNoGrants;
    private boolean running;
    private Run[] runs = NO_RUNS;
    private int unfinished;
    private Scratch.@Nullable Block ownScratch;
    private @Nullable TransferFault fault;

    /**
     * @param resources shared with all calls of this rank
     * @param number this rank's number for the call
     */
    protected Transfer(Resources resources, long number) {
        this.resources = resources;
        this.number = number;
    }

    /** {@return how urgent it is where calls wait for the same link; the greater goes first} */
    protected abstract int priority();

    /** {@return how many ranks it is a call of} */
    protected abstract int groupSize();

    /** {@return what it has borrowed} */
    protected abstract List<Tensor> tensors();

    /** {@return the edges between this rank and one that a step names, by its place in the group} */
    protected abstract Edges edgesTo(int groupRank);

    /** {@return what tells of it, or null if nobody observes it} */
    protected abstract @Nullable Observation observation();

    /** All steps are done, or one cannot be: there is something to look at when the event that this is in is over. */
    protected abstract void touched();

    /**
     * Begins to run; it has no steps yet.
     *
     * @param schedules the fingerprint of its schedules
     * @param withoutGrants whether its small edges travel with their announcements in any case: if they waited for grants, it would wait for ever
     */
    protected final void begin(long schedules, boolean withoutGrants) {
        fingerprint = schedules;
        needsNoGrants = withoutGrants;
        running = true;
    }

    final Resources resources() {
        return resources;
    }

    final EngineLimits limits() {
        return resources.limits();
    }

    final Scratch scratch() {
        return resources.scratch();
    }

    /** {@return this rank's number for the call, by which peers address it} */
    public final long number() {
        return number;
    }

    final long fingerprint() {
        return fingerprint;
    }

    final boolean needsNoGrants() {
        return needsNoGrants;
    }

    /** {@return whether its steps may go on} */
    public final boolean isRunning() {
        return running;
    }

    /** {@return whether all its steps are done} */
    protected final boolean isThrough() {
        return unfinished == 0;
    }

    /** {@return the first thing that could not be done, or null} */
    public final @Nullable TransferFault fault() {
        return fault;
    }

    /** Takes the call's steps; none has begun. */
    final void bind(Run[] steps, Scratch.@Nullable Block memory) {
        runs = steps;
        unfinished = steps.length;
        ownScratch = memory;
    }

    /** Payload has come, or has left. @param sentBytes how much has left */
    final void moved(long sentBytes) {
        Observation observation = observation();
        if (observation != null) {
            resources.moved(observation, sentBytes);
        }
    }

    /** A link has been given a frame of the call. @param headerBytes without payload */
    final void wrote(Path path, int headerBytes) {
        Observation observation = observation();
        if (observation != null && path.link().encodes()) {
            observation.header(headerBytes);
        }
    }

    /** Lets every step go as far as it can. */
    public final void advanceAll() {
        for (Run run : runs) {
            run.advance();
        }
    }

    /** A step is done. */
    final void runDone() {
        unfinished--;
        if (unfinished == 0) {
            touched();
        }
    }

    /** A caller's own operator threw. */
    final void spoil(InvalidCallException error) {
        spoil(new TransferFault.Spoiled(TransferFault.OWN, CommException.textOf(error)));
    }

    /** A piece could not be packed, or the call has no scratch. */
    final void lacksMemory(long bytes) {
        spoil(new TransferFault.NoMemory(bytes));
    }

    /** A step could not reach this rank's memory; a fault that is not of the caller's is thrown on. */
    public final void faulted(Throwable thrown) {
        faulted(thrown, TransferFault.OWN);
    }

    /**
     * A step could not reach memory. If that was the caller's, or a peer's who had lent it, the call cannot succeed; any other fault is thrown on.
     *
     * @param lender whose memory, of what was touched, is freed; {@link TransferFault#OWN} if it is no other rank's
     */
    final void faulted(Throwable thrown, int lender) {
        String own = MemoryFaults.whatIsGone(tensors());
        if (own != null) {
            spoil(new TransferFault.Spoiled(TransferFault.OWN, own + MemoryFaults.REMEDY));
        } else if (lender != TransferFault.OWN) {
            spoil(new TransferFault.Spoiled(
                    lender, "a tensor's memory was freed while it was borrowed" + MemoryFaults.REMEDY));
        } else if (MemoryFaults.isLostPage(thrown)) {
            spoil(new TransferFault.Spoiled(TransferFault.OWN, MemoryFaults.lostPage(thrown) + MemoryFaults.REMEDY));
        } else {
            throw Exceptions.propagate(thrown);
        }
    }

    private void spoil(TransferFault why) {
        if (fault == null) {
            fault = why;
            touched();
        }
    }

    /** Nothing of it is done any more, though what it holds stays. */
    protected final void stop() {
        running = false;
    }

    /** The call has failed: lets go of what its steps hold. Whatever a peer or a link had of them has been taken back before. */
    protected final void abandon() {
        for (Run run : runs) {
            run.abandon();
        }
    }

    /** The call is over: lets go of its steps and of the memory that they worked in. */
    protected final void letGo() {
        runs = NO_RUNS;
        if (ownScratch != null) {
            ownScratch.giveBack();
            ownScratch = null;
        }
    }
}
