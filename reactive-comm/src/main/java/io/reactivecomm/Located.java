package io.reactivecomm;

import java.util.Objects;

/** A group that can say of its calls where in the program they come from, although they are made elsewhere, or on another thread. */
public interface Located {

    /** {@return a view whose calls are said to come from where this is called: the first frame outside the library} */
    ProcessGroup here();

    /** {@return a group as seen from here, where it can tell places apart} */
    static ProcessGroup here(ProcessGroup group) {
        Objects.requireNonNull(group, "there is no group; give the one to call through");
        return group instanceof Located located ? located.here() : group;
    }
}
