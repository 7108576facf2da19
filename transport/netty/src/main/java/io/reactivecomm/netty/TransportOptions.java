package io.reactivecomm.netty;

import io.reactivecomm.spi.FrameCodec;

/**
 * The settings of a transport that only tests change.
 *
 * @param version the protocol version of this side
 * @param directories the places in which ranks of one user share a token
 */
record TransportOptions(Sockets sockets, Timers timers, int version, UserDirectories directories) {

    static final TransportOptions DEFAULT =
            new TransportOptions(Sockets.best(), Timers.SYSTEM, FrameCodec.VERSION, UserDirectories.ofTheSystem());

    TransportOptions withSockets(Sockets sockets) {
        return new TransportOptions(sockets, timers, version, directories);
    }

    TransportOptions withTimers(Timers timers) {
        return new TransportOptions(sockets, timers, version, directories);
    }

    TransportOptions withDirectories(UserDirectories directories) {
        return new TransportOptions(sockets, timers, version, directories);
    }

    TransportOptions withVersion(int version) {
        return new TransportOptions(sockets, timers, version, directories);
    }
}
