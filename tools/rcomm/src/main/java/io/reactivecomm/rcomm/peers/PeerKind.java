package io.reactivecomm.rcomm.peers;

import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.samples.programs.world.Transport;
import java.util.EnumSet;
import java.util.Set;

/** The kinds of peers, which are set beside ours: a library that does the same, or the least that any must do, over links of one kind. */
public enum PeerKind {
    /** torch.distributed with Gloo, over TCP. */
    GLOO,
    /** Open MPI through shared memory. */
    OPENMPI_SM,
    /** Open MPI over TCP. */
    OPENMPI_TCP,
    /** MPICH, through shared memory. */
    MPICH,
    /** MPJ Express: threads of one JVM. */
    MPJ,
    /** No library: what an all-reduce must move through shared memory. */
    LIMIT_SHM,
    /** No library: what an all-reduce must move over TCP. */
    LIMIT_TCP;

    /**
     * {@return whether it is fair and useful to set this one beside ours over that transport: it goes the same way, or, for Gloo with lists,
     * it is what one has on one host without MPI}
     */
    public boolean isBeside(Transport transport, boolean ofList) {
        return switch (this) {
            case GLOO -> transport == Transport.TCP || (ofList && transport == Transport.SHM);
            case OPENMPI_SM, MPICH -> transport == Transport.SHM || transport == Transport.MPI;
            case LIMIT_SHM -> transport == Transport.SHM;
            case OPENMPI_TCP, LIMIT_TCP -> transport == Transport.TCP;
            case MPJ -> transport == Transport.LOCAL;
        };
    }

    /** {@return those that go beside ours over any of the transports} */
    public static Set<PeerKind> beside(Iterable<Transport> transports, boolean ofList) {
        Set<PeerKind> peers = EnumSet.noneOf(PeerKind.class);
        for (PeerKind peer : values()) {
            transports.forEach(transport -> {
                if (peer.isBeside(transport, ofList)) {
                    peers.add(peer);
                }
            });
        }
        return peers;
    }

    /** {@return whether it does that operation, as {@code rcomm perf} names it; a library says so itself} */
    public boolean does(String op) {
        return (this != LIMIT_SHM && this != LIMIT_TCP) || op.equals("all-reduce");
    }

    /** {@return whether the machine's congestion control is part of its time; a limit asks for its own, as our links do} */
    boolean isOverTcp() {
        return this == GLOO || this == OPENMPI_TCP;
    }

    /** {@return the name as it is shown} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
