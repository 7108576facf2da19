package io.reactivecomm.internal.switches;

import io.reactivecomm.Operation;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.backend.BackendChoice;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.SwitchFailures;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/**
 * One state of the switches, which a call keeps from its assembly on: the operations that are off, whose calls succeed at once and do nothing, in every form.
 * The first call of each operation is logged as a warning.
 *
 * <pre>
 *   world ── a switch is agreed on ──&gt; world, the next state
 *     ├── applying(off) ──&gt; a view for the calls inside a composite of the library: exactly these are off
 *     └── whole() ────────&gt; a view for a composite of the library that is off
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
public final class Switches {

    /** {@link Work#algorithm()} of a call that did nothing. */
    public static final String OFF = "off";

    private static final Logger LOG = WarningLog.of(Switches.class);

    /** A view that has a state. */
    public interface Bearer {

        /** {@return the switches for calls that are assembled now} */
        Switches switchesNow();
    }

    /** The owner of a state. */
    private enum Of {
        WORLD,
        VIEW,
        WHOLE
    }

    private final Of of;
    private final int rank;
    private final Set<Operation> off;
    /** The operations that were off in the world, for errors. */
    private final Set<Operation> ofWorld;

    private final Set<Operation> warned;

    private Switches(Of of, int rank, Set<Operation> off, Set<Operation> ofWorld, Set<Operation> warned) {
        this.of = of;
        this.rank = rank;
        this.off = Set.copyOf(off);
        this.ofWorld = Set.copyOf(ofWorld);
        this.warned = warned;
    }

    /** @param rank this rank in the world */
    static Switches ofWorld(int rank, Set<Operation> off) {
        return new Switches(Of.WORLD, rank, off, off, EnumSet.noneOf(Operation.class));
    }

    /** {@return the state after a switch} An operation that stays off is not warned of again. */
    Switches after(Set<Operation> operations, boolean isOff) {
        EnumSet<Operation> next = EnumSet.noneOf(Operation.class);
        next.addAll(off);
        EnumSet<Operation> known = EnumSet.noneOf(Operation.class);
        synchronized (warned) {
            known.addAll(warned);
        }
        if (isOff) {
            next.addAll(operations);
        } else {
            next.removeAll(operations);
        }
        known.retainAll(next);
        return new Switches(Of.WORLD, rank, next, next, known);
    }

    /** {@return the state of a view in which exactly these operations are off; it logs no warning because the view's author chose them} */
    public Switches applying(Set<Operation> operations) {
        EnumSet<Operation> known = EnumSet.noneOf(Operation.class);
        known.addAll(operations);
        return new Switches(Of.VIEW, rank, operations, ofWorld, known);
    }

    /** {@return the state of a view whose composite calls are off as a whole} */
    public Switches whole() {
        return new Switches(Of.WHOLE, rank, Set.of(), ofWorld, EnumSet.noneOf(Operation.class));
    }

    /** {@return whether composite calls are off as a whole} */
    public boolean isWhole() {
        return of == Of.WHOLE;
    }

    /** {@return the state for calls in a composite call that was assembled in this one} */
    public Switches inside() {
        // One allocation, in either case: it meets no other value.
        return new Switches(isWhole() ? Of.VIEW : of, rank, off, ofWorld, warned);
    }

    /** {@return whether peers are answered that wait for a call which is off in this state} What a view has off is part of a composite that is off as a whole. */
    public boolean isOfWorld() {
        return of == Of.WORLD;
    }

    /** {@return the operations that were off in the world} */
    public Set<Operation> ofWorld() {
        return ofWorld;
    }

    /** {@return whether the call is to do nothing} */
    public boolean isOff(Collective call) {
        if (off.isEmpty()) {
            return false;
        }
        return call instanceof Coalesced scope ? scope.calls().stream().allMatch(this::isOff) : isOff(call.operation());
    }

    /** {@return a call without those of its calls that are to do nothing, unless that is all of them} */
    public Collective kept(Collective call) {
        if (off.isEmpty() || !(call instanceof Coalesced scope)) {
            return call;
        }
        List<Collective> on =
                scope.calls().stream().filter(member -> !isOff(member)).toList();
        return on.isEmpty() || on.size() == scope.calls().size() ? call : new Coalesced(on);
    }

    /** {@return whether calls of that operation are to do nothing} */
    public boolean isOff(Operation operation) {
        if (!off.contains(operation)) {
            return false;
        }
        synchronized (warned) {
            if (warned.add(operation)) {
                LOG.warn(
                        "an operation is switched off: its calls do nothing: operation={}, rank={}; switch it on, or unset RCOMM_OFF, for a run that counts",
                        operation.label(),
                        rank);
            }
        }
        return true;
    }

    /** {@return a failure of a call that was made in this state; if the switches of ranks differed it names this rank's, too} */
    public Failure withOwn(Failure failure) {
        return SwitchFailures.withOwn(failure, rank, ofWorld);
    }

    /** {@return the result of a call that is off} */
    public static Work nothing(Collective call, CallKey.Ticket key, int groupSize) {
        return new CallSink.Success(
                call.label(),
                List.of(),
                key.ticket(),
                0,
                0,
                BackendChoice.LINKS,
                OFF,
                Work.NO_PEER,
                key.name(),
                groupSize,
                null);
    }
}
