package io.reactivecomm.compression.internal.state;

import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * The state of one name: that after the last step which went well on this rank, and until the next one begins that of the step before. A step that goes well here may
 * fail on another rank, which stays behind; the next one takes this rank back.
 *
 * <pre>
 *   latest k, spare k-1 ── begins ──&gt; latest k, spare is written ── goes well ──&gt; latest k+1, spare k
 *            │                                                └── fails ──────&gt; latest k
 *            └ stepBack ──&gt; latest k-1
 * </pre>
 *
 * <p><b>Threads.</b> Those of the step that has taken it, one after the other.
 */
public final class NamedState {

    private final StateShape shape;
    private final StateHome home;
    private final boolean keepsTensors;
    private Generation latest;
    private Generation spare;
    private boolean spareIsBefore;
    private boolean hasGoneWell;
    private boolean isFinite = true;
    /** Whether a step that has failed has written the spare. */
    private boolean isSpareSpoilt;

    private Mono<Void> filled = Mono.empty();

    /** @param keepsTensors whether a step leaves its tensors to the next, which finds zeros otherwise */
    public NamedState(StateShape shape, StateHome home, boolean keepsTensors, long step, double[] adapted) {
        this.shape = shape;
        this.home = home;
        this.keepsTensors = keepsTensors;
        List<Generation> both = Generation.two(shape, home, step, adapted);
        this.latest = both.getFirst();
        this.spare = both.getLast();
    }

    /** {@return a state of zeros for other ranks, as many steps on} It can go back if this one could: a step that failed elsewhere may be why the ranks are others. */
    public NamedState movedTo(StateShape other, StateHome there) {
        NamedState moved = new NamedState(other, there, keepsTensors, latest.step(), latest.adapted());
        moved.spare = moved.spare.at(spare.step(), spare.adapted());
        moved.spareIsBefore = spareIsBefore;
        return moved;
    }

    /** {@return the same state in another memory, which is there when its {@link #filled} is} This one stays open until then. */
    public NamedState copiedTo(StateHome there) {
        NamedState copy = movedTo(shape, there);
        List<Move> moves = spareIsBefore
                ? Stream.concat(latest.into(copy.latest), spare.into(copy.spare))
                        .toList()
                : latest.into(copy.latest).toList();
        // The host's memory has no way to a device's.
        StateHome mover = there.device().equals(Device.CPU) ? home : there;
        try {
            copy.filled = mover.move(moves).completed();
        } catch (RuntimeException | OutOfMemoryError e) {
            copy.close();
            throw e;
        }
        return copy;
    }

    /** {@return the end of what brings it here from another memory} */
    public Mono<Void> filled() {
        return filled;
    }

    public StateShape shape() {
        return shape;
    }

    public StateHome home() {
        return home;
    }

    /** {@return the state that the next step begins with} */
    public Generation latest() {
        return latest;
    }

    /** {@return whether this rank can go back by a step} */
    public boolean hasBefore() {
        return spareIsBefore;
    }

    /** The last step failed on another rank. */
    public void stepBack() {
        Generation ahead = latest;
        latest = keepsTensors ? spare : spare.withKeptOf(latest);
        spare = keepsTensors ? ahead : spare;
        spareIsBefore = false;
    }

    /**
     * {@return what the step writes} A device knows what has failed to be written there: it is overwritten first, or all steps after it would fail.
     */
    public Generation next() {
        spareIsBefore = false;
        if (isSpareSpoilt) {
            home.move(spare.kept().stream().map(Move::zeros).toList());
        }
        isSpareSpoilt = true;
        return spare;
    }

    /**
     * Ends a step on all ranks. A step whose result is not finite does not change the state, because its error would make every later result not finite.
     *
     * @param finite whether the result, which has the same bits on all ranks, is finite
     */
    public void ended(boolean finite, double[] adapted) {
        isFinite = finite;
        if (finite) {
            wentWell(adapted);
        }
    }

    /** {@return whether the last step that ended without an error had a finite result} */
    public boolean isFinite() {
        return isFinite;
    }

    /** The step has gone well here. */
    public void wentWell(double[] adapted) {
        Generation before = latest;
        long step = before.step() + 1;
        latest = keepsTensors ? spare.at(step, adapted) : before.at(step, adapted);
        spare = keepsTensors ? before : spare.at(before.step(), before.adapted());
        spareIsBefore = true;
        isSpareSpoilt = false;
        hasGoneWell = true;
    }

    /** {@return whether a step has gone well since this was made} */
    public boolean hasGoneWell() {
        return hasGoneWell;
    }

    public void close() {
        latest.close();
        spare.close();
    }
}
