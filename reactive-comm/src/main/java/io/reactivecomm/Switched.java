package io.reactivecomm;

import java.util.Set;

/**
 * A group's view, as operations made of several calls see what is switched off ({@link CommConfig#withOff}).
 *
 * <p>Such an operation counts as the one that it performs, and is off as a whole: it asks {@link #isOff} once, as it is assembled or as its step opens.
 * The calls that it is made of go through {@link #on}, and no switch applies to them.
 *
 * <p><b>Threads.</b> Any.
 */
public interface Switched {

    /** {@return whether calls of an operation that are assembled now do nothing} The first time that it is so, a warning is logged. */
    boolean isOff(Operation operation);

    /** {@return a view whose calls of these operations do nothing, and whose other calls are made, whatever is switched off in the world} */
    ProcessGroup switched(Set<Operation> off);

    /** {@return whether calls of an operation through a group do nothing} */
    static boolean isOff(ProcessGroup group, Operation operation) {
        return group instanceof Switched switched && switched.isOff(operation);
    }

    /** {@return a view for the calls that an operation is made of: all are made} */
    static ProcessGroup on(ProcessGroup group) {
        return group instanceof Switched switched ? switched.switched(Set.of()) : group;
    }
}
