package io.reactivecomm.netty.internal.link;

import io.netty.channel.Channel;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.store.Roster;
import java.security.MessageDigest;
import java.util.function.Consumer;

/**
 * The acceptor of the ranks above this one, for connections of one purpose. Each rank comes so many times: its first connection first, then
 * its lanes in their order.
 *
 * <p><b>Threads.</b> The event loop of its listener.
 */
public final class RankAcceptor implements GuardedListener.Host {

    /** Takes a connection, on the listener's event loop. */
    interface AcceptHandler {

        /** @param lane which lane of the link it is, or 0 for the link's own connection */
        void entered(int peer, int lane, Channel channel);
    }

    private final Handshake.Purpose purpose;
    private final int version;
    private final int rank;
    private final int lanes;
    private final AcceptHandler acceptHandler;
    private final Consumer<String> disagreements;
    /** Connections by rank. */
    private int[] entered = new int[0];

    private byte[] job = new byte[0];
    private int worldSize;

    /**
     * @param lanes how many more connections each rank has to make after its first
     * @param disagreements is notified of a rank that differs in whether connections are encrypted, on the listener's event loop
     */
    RankAcceptor(
            Handshake.Purpose purpose,
            int version,
            int rank,
            int lanes,
            AcceptHandler acceptHandler,
            Consumer<String> disagreements) {
        this.purpose = purpose;
        this.version = version;
        this.rank = rank;
        this.lanes = lanes;
        this.acceptHandler = acceptHandler;
        this.disagreements = disagreements;
    }

    /** From now on there is a world to admit to; before, the listener accepts nobody. */
    void open(Roster roster) {
        job = roster.job();
        worldSize = roster.entries().size();
        entered = new int[worldSize];
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
        if (claim.target() != rank) {
            return new GuardedListener.Verdict(
                    Handshake.Refusal.RANK,
                    "a connection to another rank was delivered here: rank=" + claim.rank() + ", target="
                            + claim.target() + ", at=" + rank + "; check the network between the hosts");
        }
        if (!isExpected(claim)) {
            return new GuardedListener.Verdict(
                    Handshake.Refusal.RANK,
                    "not expected, or connected already: rank=" + claim.rank() + ", lane=" + claim.lane() + ", at="
                            + rank);
        }
        return GuardedListener.Verdict.ADMIT;
    }

    private boolean isExpected(Handshake.Claim claim) {
        return claim.rank() > rank
                && claim.rank() < worldSize
                && claim.lane() == entered[claim.rank()]
                && claim.lane() <= lanes;
    }

    @Override
    public void disagreed(String text) {
        disagreements.accept(text);
    }

    @Override
    public void admit(Channel channel, Handshake.Claim claim) {
        entered[claim.rank()]++;
        channel.pipeline().get(PacketDecoder.class).pause();
        acceptHandler.entered(claim.rank(), claim.lane(), channel);
    }
}
