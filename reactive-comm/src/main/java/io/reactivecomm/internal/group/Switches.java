package io.reactivecomm.internal.group;

import io.reactivecomm.Operation;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.backend.BackendChoice;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.spi.CallKey;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations that are switched off: their calls succeed at once and do nothing, in every form, and the first of each is logged as a warning.
 *
 * <p><b>Threads.</b> Any.
 */
final class Switches {

    /** Nothing is off. */
    static final Switches NONE = new Switches(Set.of());

    /** {@link Work#algorithm()} of a call that did nothing. */
    static final String OFF = "off";

    private static final Logger LOG = LoggerFactory.getLogger(Switches.class);

    private final Set<Operation> off;
    private final Set<Operation> warned = EnumSet.noneOf(Operation.class);

    Switches(Set<Operation> off) {
        this.off = off;
    }

    /** {@return the switches of a view, which log no warning because the view's author chose them} */
    static Switches ofView(Set<Operation> off) {
        Switches switches = new Switches(Set.copyOf(off));
        switches.warned.addAll(off);
        return switches;
    }

    /** {@return whether the call is to do nothing} */
    boolean isOff(Collective call) {
        if (off.isEmpty()) {
            return false;
        }
        return call instanceof Coalesced scope ? scope.calls().stream().allMatch(this::isOff) : isOff(call.operation());
    }

    /** {@return a call without those of its calls that are to do nothing, unless that is all of them} */
    Collective kept(Collective call) {
        if (off.isEmpty() || !(call instanceof Coalesced scope)) {
            return call;
        }
        List<Collective> on = scope.calls().stream().filter(member -> !isOff(member)).toList();
        return on.isEmpty() || on.size() == scope.calls().size() ? call : new Coalesced(on);
    }

    /** {@return whether calls of that operation are to do nothing} */
    boolean isOff(Operation operation) {
        if (!off.contains(operation)) {
            return false;
        }
        synchronized (warned) {
            if (warned.add(operation)) {
                LOG.warn("an operation is switched off: its calls do nothing: operation={}; unset RCOMM_OFF for a run that counts", operation.label());
            }
        }
        return true;
    }

    /** {@return what such a call ends with} */
    static Work nothing(Collective call, CallKey.Ticket key, int groupSize) {
        return new CallSink.Success(
                call.label(), List.of(), key.ticket(), 0, 0, BackendChoice.LINKS, OFF, Work.NO_PEER, key.name(), groupSize, null);
    }
}
