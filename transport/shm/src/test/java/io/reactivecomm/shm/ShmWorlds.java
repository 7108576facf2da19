package io.reactivecomm.shm;

import io.reactivecomm.testkit.ConnectedWorlds;

/** Worlds whose ranks know each other only through sockets and shared memory, as the contracts want them. */
interface ShmWorlds extends ConnectedWorlds {

    String TRANSPORT = "shm";

    @Override
    default String transport() {
        return TRANSPORT;
    }
}
