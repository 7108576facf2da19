package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.spi.WarningLog;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Exceptions;
import reactor.core.scheduler.Schedulers;

/**
 * The outcome of the checks of a call, made once, when it is assembled.
 *
 * @param collective what is asked for, or null if it cannot be made
 * @param error why it cannot, or null
 */
record Checked(@Nullable Collective collective, @Nullable CommException error) {

    private static final Logger LOG = WarningLog.of(Checked.class);

    /** A call that fails its checks is assembled all the same: it takes its place, and fails when it is subscribed to. */
    static Checked call(Supplier<? extends Collective> call, GroupState group) {
        Collective sound = null;
        CommException error = null;
        try {
            sound = check(call, group);
        } catch (CommException e) {
            error = e;
        }
        return new Checked(sound, error);
    }

    private static Collective check(Supplier<? extends Collective> call, GroupState group) {
        try {
            return call.get().checkedFor(group.rank(), group.size());
        } catch (CommException e) {
            throw e;
        } catch (InternalError e) {
            if (!MemoryFaults.isLostPage(e)) {
                throw refusal(e, group);
            }
            throw new InvalidCallException(
                    "a call could not be made: " + MemoryFaults.lostPage(e) + MemoryFaults.REMEDY, e);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            throw refusal(e, group);
        }
    }

    /**
     * {@return the error of a call in whose making or beginning something else was thrown}
     * Such as a tensor that another thread closes meanwhile, or the program's own code in a scope: the others wait for this ticket, whatever went wrong. On the
     * loop what is fatal ends the world.
     */
    static InvalidCallException refusal(Throwable cause, GroupState group) {
        if (Schedulers.isInNonBlockingThread()) {
            Exceptions.throwIfJvmFatal(cause);
        }
        LOG.warn("a call could not be made: rank={}", group.rank(), ErrorTexts.printable(cause));
        return new InvalidCallException(
                "a call could not be made: cause=" + ErrorTexts.describe(cause) + "; look at this rank's own output",
                cause);
    }

    /** {@return a call that cannot be made} */
    static Checked refused(CommException error) {
        return new Checked(null, error);
    }

    /**
     * {@return what is asked for}
     *
     * @throws CommException if it cannot be made
     */
    Collective require() {
        if (error != null) {
            throw error;
        }
        return Objects.requireNonNull(collective);
    }
}
