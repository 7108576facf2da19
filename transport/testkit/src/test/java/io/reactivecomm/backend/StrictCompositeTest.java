package io.reactivecomm.backend;

import io.reactivecomm.testkit.CompositeContract;

/**
 * Composite calls over an engine that refuses any disorder. Messages and streams in them are not among the cases: an ordered engine performs no
 * messages yet.
 */
class StrictCompositeTest extends CompositeContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
