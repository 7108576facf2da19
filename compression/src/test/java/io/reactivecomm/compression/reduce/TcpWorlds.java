package io.reactivecomm.compression.reduce;

import io.reactivecomm.testkit.ConnectedWorlds;

/** Worlds whose ranks connect over TCP. */
interface TcpWorlds extends ConnectedWorlds {

    @Override
    default String transport() {
        return "tcp";
    }
}
