package io.reactivecomm.internal.group;

import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.LateFaults;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Exceptions;

/**
 * The outcome of the checks of a call, made once, when it is assembled.
 *
 * @param collective the call, or null if it cannot be made
 * @param error the reason why it cannot be made, or null
 */
record Checked(@Nullable Collective collective, @Nullable CommException error) {

    private static final Logger LOG = WarningLog.of(Checked.class);

    /** {@return the outcome of a call's checks} A call that fails them is assembled all the same: it takes its ticket, and fails on subscription. */
    static Checked call(Supplier<? extends Collective> call, GroupState group, Loop loop) {
        Collective sound = null;
        CommException error = null;
        try {
            sound = check(call, group, loop);
        } catch (CommException e) {
            error = e;
        }
        return new Checked(sound, error);
    }

    private static Collective check(Supplier<? extends Collective> call, GroupState group, Loop loop) {
        try {
            LateFaults.throwPending();
            return sound(call, group);
        } catch (Exception | Error e) {
            throw errorOf(e, group, loop);
        }
    }

    /** No element is read here by the library, so an {@link InternalError} is no lost page but an error of the program's own. */
    private static Collective sound(Supplier<? extends Collective> call, GroupState group) {
        try {
            return call.get().checkedFor(group.rank(), group.size());
        } catch (InternalError e) {
            throw ProgramError.of(e);
        }
    }

    /**
     * {@return the error of a call whose making or beginning has thrown}
     * The code may be the program's own: a scope, or a tensor that another thread closes. Some languages throw checked exceptions undeclared. The other ranks wait for
     * this ticket whatever the error.
     *
     * @param loop the rank's
     * @throws Error if the thrown one is fatal to the JVM and this thread is the loop's: there it ends the world
     */
    static CommException errorOf(Throwable thrown, GroupState group, Loop loop) {
        if (thrown instanceof CommException known) {
            return known;
        }
        Thrown.keepInterrupt(thrown);
        if (MemoryFaults.isLostPage(thrown)) {
            return new InvalidCallException(
                    "a call could not be made: " + MemoryFaults.lostPage(thrown) + MemoryFaults.REMEDY, thrown);
        }
        if (loop.inLoop()) {
            Exceptions.throwIfJvmFatal(thrown);
        }
        LOG.warn("a call could not be made: rank={}", group.rank(), ErrorTexts.printable(thrown));
        return new InvalidCallException(
                "a call could not be made: cause=" + ErrorTexts.describe(thrown) + "; look at this rank's own output",
                thrown);
    }

    /** {@return a call that cannot be made} */
    static Checked refused(CommException error) {
        return new Checked(null, error);
    }

    /**
     * {@return the call}
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
