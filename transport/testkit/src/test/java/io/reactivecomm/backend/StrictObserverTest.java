package io.reactivecomm.backend;

import io.reactivecomm.testkit.ObserverContract;

/** Observers of calls that an engine beside links performs. */
class StrictObserverTest extends ObserverContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }

    @Override
    public boolean areOverLinks() {
        return false;
    }
}
