package io.reactivecomm.backend;

import io.reactivecomm.testkit.StreamContract;

/** Streams over an engine that refuses any disorder. */
class StrictStreamTest extends StreamContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
