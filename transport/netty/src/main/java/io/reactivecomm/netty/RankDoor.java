package io.reactivecomm.netty;

import io.netty.channel.Channel;
import java.security.MessageDigest;
import java.util.BitSet;

/**
 * Where a rank admits the ranks above it, once for each, for links of one purpose.
 *
 * <p><b>Threads.</b> The event loop of its listener.
 */
final class RankDoor implements GuardedListener.Host {

    /** Takes a connection, on the listener's event loop. */
    interface Entrance {

        void entered(int peer, Channel channel);
    }

    private final Handshake.Purpose purpose;
    private final int version;
    private final int rank;
    private final Entrance entrance;
    private final BitSet entered = new BitSet();
    private byte[] job = new byte[0];
    private int worldSize;

    RankDoor(Handshake.Purpose purpose, int version, int rank, Entrance entrance) {
        this.purpose = purpose;
        this.version = version;
        this.rank = rank;
        this.entrance = entrance;
    }

    /** From now on there is a world to admit to; before, the listener accepts nobody. */
    void open(Roster roster) {
        job = roster.job();
        worldSize = roster.entries().size();
    }

    @Override
    public GuardedListener.Verdict judge(Handshake.Claim claim) {
        if (claim.purpose() != purpose || !MessageDigest.isEqual(claim.job(), job)) {
            return new GuardedListener.Verdict(
                    Handshake.Refusal.JOB, "a connection of another job: rank=" + claim.rank() + "; check MASTER_PORT");
        }
        if (claim.version() != version) {
            return new GuardedListener.Verdict(
                    Handshake.Refusal.VERSION,
                    "the protocol's version differs: rank=" + claim.rank() + " has version=" + claim.version()
                            + ", rank=" + rank + " has version=" + version
                            + "; run one release of Reactive Comm on all ranks");
        }
        if (claim.rank() <= rank || claim.rank() >= worldSize || entered.get(claim.rank())) {
            return new GuardedListener.Verdict(
                    Handshake.Refusal.RANK,
                    "not expected, or connected already: rank=" + claim.rank() + ", at=" + rank);
        }
        return GuardedListener.Verdict.ADMIT;
    }

    @Override
    public void admit(Channel channel, Handshake.Claim claim) {
        entered.set(claim.rank());
        channel.pipeline().get(PacketDecoder.class).pause();
        entrance.entered(claim.rank(), channel);
    }
}
