package io.reactivecomm;

import java.util.Objects;
import java.util.Set;

/**
 * The switches of a group's view ({@link CommConfig#withOff}), for operations that consist of several calls.
 *
 * <p>Such an operation counts as the one that it performs, and is off as a whole. It asks {@link #isOff} once, when it is assembled or its step opens.
 * Its calls go through {@link #on}, and no switch applies to them.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Switched {

    /** {@return whether calls of an operation that are assembled now do nothing} The first one that is off is logged as a warning. */
    boolean isOff(Operation operation);

    /** {@return a view in which exactly these operations are off, whatever is switched off in the world} */
    ProcessGroup switched(Set<Operation> off);

    /** {@return whether calls of an operation through a group do nothing} */
    static boolean isOff(ProcessGroup group, Operation operation) {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(operation, "operation");
        return group instanceof Switched switched && switched.isOff(operation);
    }

    /** {@return a view in which no operation is off, for the calls of which an operation consists} */
    static ProcessGroup on(ProcessGroup group) {
        Objects.requireNonNull(group, "group");
        return group instanceof Switched switched ? switched.switched(Set.of()) : group;
    }
}
