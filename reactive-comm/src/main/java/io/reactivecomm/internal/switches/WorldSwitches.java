package io.reactivecomm.internal.switches;

import io.reactivecomm.Operation;
import io.reactivecomm.internal.engine.SwitchFailures;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The switches of a world on this rank: their present state, and which calls have been off.
 *
 * <p><b>Threads.</b> Any.
 */
public final class WorldSwitches {

    private static final Logger LOG = LoggerFactory.getLogger(WorldSwitches.class);

    private final int rank;
    private final OffCalls calls = new OffCalls();
    private final AtomicBoolean isChanging = new AtomicBoolean();
    /** The groups in which peers are going to be answered that wait for calls which are off. */
    private final Set<Long> answering = ConcurrentHashMap.newKeySet();

    private volatile Switches now;

    /**
     * @param rank this rank in the world
     * @param off the operations that are off at first
     */
    public WorldSwitches(int rank, Set<Operation> off) {
        this.rank = rank;
        this.now = Switches.ofWorld(rank, off);
    }

    /** {@return the present state} */
    public Switches now() {
        return now;
    }

    /** A switch begins. {@return whether no other is in flight} */
    public boolean begins() {
        return isChanging.compareAndSet(false, true);
    }

    /** The switch that began has ended. */
    public void ends() {
        isChanging.set(false);
    }

    /** All ranks have agreed on a switch. */
    public void change(Set<Operation> operations, boolean isOff) {
        Switches next = now.after(operations, isOff);
        now = next;
        LOG.info("operations were switched: rank={}, off=[{}]", rank, SwitchFailures.labels(next.ofWorld()));
    }

    /** {@return the calls that are off} */
    public OffCalls calls() {
        return calls;
    }

    /** A call of a group is off. {@return whether the caller is to have waiting peers answered, and to note that it {@link #answers}} */
    public boolean mayAnswer(long group) {
        return answering.add(group);
    }

    /** Peers are answered now, and asked for again at the next call that is off. */
    public void answers(long group) {
        answering.remove(group);
    }

    /** {@return whether a call is off here} */
    public boolean isOff(CallKey.Ticket call) {
        return calls.find(call) != null;
    }

    /** {@return the failure of a call that other ranks have made if it is off here, or null} */
    public @Nullable Failure whyOff(CallKey.Ticket call) {
        return isOff(call) ? difference(call) : null;
    }

    /** {@return the failure of a call that other ranks have made and that is off here} */
    public Failure difference(CallKey.Ticket call) {
        Set<Operation> off = calls.find(call);
        return SwitchFailures.difference(call, rank, off == null ? Set.of() : off);
    }
}
