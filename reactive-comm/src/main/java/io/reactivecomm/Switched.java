package io.reactivecomm;

import java.util.Objects;
import java.util.Set;

/**
 * The switches of a group's view ({@link CommConfig#withOff}, {@link CommSwitches}), for operations that consist of several calls.
 *
 * <p>Such an operation counts as the one that it performs, and is off as a whole. It takes a view that {@linkplain #kept keeps} the present state when it is assembled or
 * its step opens, and asks that {@link #isOff}. Its calls go through {@link #on}, and no switch applies to them. If it is off, its composite call goes through {@link #off}.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Switched {

    /** {@return whether calls of an operation that are assembled now do nothing} The first one that is off is logged as a warning. */
    boolean isOff(Operation operation);

    /** {@return a view in which exactly these operations are off, whatever is switched off in the world} */
    ProcessGroup switched(Set<Operation> off);

    /** {@return a view in which the operations stay off and on as they are now} */
    ProcessGroup kept();

    /** {@return a view whose composite calls do nothing on this rank: a rank that waits for a call in one gets a {@link MismatchException}} */
    ProcessGroup whole();

    /**
     * {@return the switches of the world}
     *
     * @throws InvalidCallException if this is not the world's own group
     */
    CommSwitches switches();

    /** {@return whether calls of an operation through a group do nothing} */
    static boolean isOff(ProcessGroup group, Operation operation) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(operation, "operation");
        return group instanceof Switched switched && switched.isOff(operation);
    }

    /** {@return a view in which the operations stay off and on as they are now} */
    static ProcessGroup kept(ProcessGroup group) {
        return group instanceof Switched switched ? switched.kept() : group;
    }

    /** {@return a view in which no operation is off, for the calls of which an operation consists} */
    static ProcessGroup on(ProcessGroup group) {
        Objects.requireNonNull(group, "group");
        return group instanceof Switched switched ? switched.switched(Set.of()) : group;
    }

    /** {@return a view for the composite call of an operation that is off} */
    static ProcessGroup off(ProcessGroup group) {
        return group instanceof Switched switched ? switched.whole() : group;
    }
}
