package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.observe.CommObserver;

/**
 * The recordings of the JDK's flight recorder that run, as far as they ask for the library's events.
 *
 * <p>Nothing here wakes the recorder, and nobody tells of recordings: whether one asks for an event is looked up in the event's own class. As long as
 * the recorder has never run that is a constant of the class, which the compiler folds; afterwards it is a read of a field for each event. So a
 * recording may begin, end or change its settings at any time.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Recordings {

    /** A runtime that was linked without the recorder has no such module. */
    private static final boolean IS_THERE =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Recordings() {}

    /** Loaded with the first call, if there is a recorder. */
    private static final class Events {

        private static final JfrObserver OBSERVER = new JfrObserver();
    }

    /** {@return whether a recording asks for calls, whole or in phases, or for those that fail} */
    public static boolean areOfCalls() {
        return IS_THERE && JfrObserver.areCallsOn();
    }

    /** {@return whether a recording asks for what is none of a call's} */
    public static boolean areOfEvents() {
        return IS_THERE && JfrObserver.isRestOn();
    }

    /** {@return who writes the events of this process; to be asked for only where a recording asks for some} */
    public static CommObserver observer() {
        return Events.OBSERVER;
    }
}
