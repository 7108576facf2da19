package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.transfer.MemoryFaults;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The outcome of the checks of a call. */
sealed interface Checked {

    Logger LOG = LoggerFactory.getLogger(Checked.class);

    record Sound(Collective collective) implements Checked {}

    record Unsound(CommException error) implements Checked {}

    /** A call that fails its checks is assembled all the same: it takes its place, and fails when it is subscribed to. */
    static Checked call(Supplier<? extends Collective> call, GroupState group) {
        try {
            return new Sound(call.get().checkedFor(group.rank(), group.size()));
        } catch (CommException e) {
            return new Unsound(e);
        } catch (InternalError e) {
            if (!MemoryFaults.isLostPage(e)) {
                throw e;
            }
            return new Unsound(new InvalidCallException("a call could not be made: " + MemoryFaults.lostPage(e) + MemoryFaults.REMEDY, e));
        } catch (RuntimeException e) {
            // Such as a tensor that another thread closes meanwhile: the others wait for this ticket, whatever went wrong.
            LOG.warn("a call could not be made: rank={}", group.rank(), e);
            return new Unsound(new InvalidCallException("a call could not be made: cause=" + e + "; look at this rank's own output", e));
        }
    }
}
