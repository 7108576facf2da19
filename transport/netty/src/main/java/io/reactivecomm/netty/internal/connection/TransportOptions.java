package io.reactivecomm.netty.internal.connection;

import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.spi.link.FrameCodec;

/**
 * The settings of a transport that only tests change.
 *
 * @param version the protocol version of this side
 * @param directories the places in which ranks of one user share a token
 * @param network what stands for the kernel and the network that this side runs in
 */
public record TransportOptions(
        Sockets sockets, Timers timers, int version, UserDirectories directories, byte[] network) {

    public static final TransportOptions DEFAULT = new TransportOptions(
            Sockets.best(), Timers.SYSTEM, FrameCodec.VERSION, UserDirectories.ofTheSystem(), ThisHost.networkDigest());

    public TransportOptions withSockets(Sockets sockets) {
        return new TransportOptions(sockets, timers, version, directories, network);
    }

    public TransportOptions withTimers(Timers timers) {
        return new TransportOptions(sockets, timers, version, directories, network);
    }

    public TransportOptions withDirectories(UserDirectories directories) {
        return new TransportOptions(sockets, timers, version, directories, network);
    }

    public TransportOptions withNetwork(byte[] network) {
        return new TransportOptions(sockets, timers, version, directories, network);
    }

    public TransportOptions withVersion(int version) {
        return new TransportOptions(sockets, timers, version, directories, network);
    }
}
