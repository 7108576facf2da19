package io.reactivecomm.compression.reduce;

import io.reactivecomm.testkit.ConnectedWorlds;

/** Worlds whose ranks connect through shared memory. */
interface ShmWorlds extends ConnectedWorlds {

    @Override
    default String transport() {
        return "shm";
    }
}
