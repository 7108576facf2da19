package io.reactivecomm.netty.internal.life;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which ranks are cut off, from beats and from what they say: (state, event, now) → findings, without a clock or a socket.
 *
 * <p><b>Cuts.</b> Each rank says in its beats whom it does not hear. Two ranks are <em>cut</em> if one of them does not hear the other; so
 * both see the same, also where only one direction is broken. A rank passes on all its cuts, those that it learnt from the other end, too.
 *
 * <p><b>Verdicts.</b> A rank that is cut from more than half of the world's ranks is <em>lost</em>. This depends on nothing but the cuts,
 * so the majority and the lost rank come to the same verdict without being able to talk. No minority can make a lost rank of anybody else:
 * of the ranks of a majority none is cut from more than half. Whoever finds a loss says so in its beats, and whoever hears that takes it
 * over, for a rank sees only the cuts of those that it hears. A cut from a peer that is not lost is told once nobody who suspects either
 * end can make a majority any more. Else it is told after {@link HeartbeatTerms#settleNanos}, when all that are heard have spoken once
 * more. One that did not get to run may have a vote or a verdict to tell.
 *
 * <pre>
 *   five ranks, {0, 1, 2} | {3, 4}:    3 is cut from 0, 1, 2: three of five, lost; so is 4; nobody else is
 *   four ranks, {0, 1} | {2, 3}:       each is cut from two of four: no majority, four cuts
 *   three ranks, 0 and 1 cut:          each is cut from one of three: one cut, and 2 goes on with both
 * </pre>
 *
 * <p><b>Leaving.</b> Cuts from a rank that has left do not count. Those from ranks that are lost count for
 * {@link HeartbeatTerms#limitNanos} more, so that all verdicts of one incident go by the same cuts, in whichever order they are found. The
 * world stays as large as it was: were it counted smaller, cuts that were none of a majority's would become so. What a rank says that is
 * itself not heard is forgotten.
 *
 * <p><b>Threads.</b> The control thread.
 */
public final class FailureDetector {

    private final int rank;
    private final HeartbeatTerms terms;
    /** Of the peers that are watched. */
    private final @Nullable PeerHeartbeat[] heartbeats;
    /** This rank's own word is in it, too. */
    private final ReachabilityReports said;
    /** When this rank's cut from a peer was first seen. */
    private final long[] cutAt;
    /** Who is to speak once more before a cut from that peer is told. */
    private final @Nullable BitSet[] awaited;
    /** Who has spoken since the last look. */
    private final BitSet spoken = new BitSet();
    /** At which look that was: where looks are late, so is what others say. */
    private final long[] cutLook;

    /** The ranks whose cuts count, this one among them. */
    private final BitSet there = new BitSet();

    private final BitSet left = new BitSet();
    private final BitSet unheard = new BitSet();
    /** From whom this rank is cut for good: it was said, and the groups of both have ended. */
    private final BitSet told = new BitSet();

    private long lastLostAt;
    private long looks;

    public FailureDetector(int rank, int worldSize, HeartbeatTerms terms) {
        this.rank = rank;
        this.terms = terms;
        this.heartbeats = new PeerHeartbeat[worldSize];
        this.said = new ReachabilityReports(rank, worldSize);
        this.cutAt = new long[worldSize];
        this.cutLook = new long[worldSize];
        this.awaited = new BitSet[worldSize];
        there.set(0, worldSize);
    }

    /** From now on a peer is to be heard. */
    void watch(int peer, long now) {
        heartbeats[peer] = new PeerHeartbeat(terms.suspectNanos(), terms.unheardNanos(), now);
    }

    void heard(int peer, long now) {
        PeerHeartbeat heartbeat = heartbeats[peer];
        if (heartbeat != null) {
            heartbeat.heard(now);
        }
    }

    /** A peer's beat says whom it suspects, whom it is cut from, and whom it found lost. */
    void told(int peer, BitSet suspected, BitSet cutFrom, BitSet lost) {
        if (heartbeats[peer] != null) {
            spoken.set(peer);
            said.take(peer, suspected, cutFrom, lost);
        }
    }

    /** A peer has left in good order. */
    void left(int peer) {
        left.set(peer);
        gone(peer);
    }

    /** A peer's end is known: its cuts count no more. */
    void gone(int peer) {
        heartbeats[peer] = null;
        there.clear(peer);
        said.forget(peer);
    }

    /** A peer says that this rank is lost. */
    void condemned(long now) {
        lost().set(rank);
        lastLostAt = now;
    }

    /** A peer says that it and this rank are cut. */
    void separated(int peer) {
        cuts().set(peer);
        partFrom(peer);
    }

    /** Nothing comes from that peer any more: what it has said it can neither take back nor say again. */
    private void partFrom(int peer) {
        told.set(peer);
        heartbeats[peer] = null;
        said.forget(peer);
    }

    /** This process itself stood still. */
    void forgive(long nanos, long now) {
        for (PeerHeartbeat heartbeat : heartbeats) {
            if (heartbeat != null) {
                heartbeat.forgive(nanos, now);
            }
        }
    }

    /** {@return whether some rank has been silent for a while, here or elsewhere: looks and beats come more often then} */
    boolean isUneasy() {
        for (int peer = there.nextSetBit(0); peer >= 0; peer = there.nextSetBit(peer + 1)) {
            if (heartbeats[peer] != null
                    && !lost().get(peer)
                    && (suspects().get(peer) || !said.suspects(peer).isEmpty())) {
                return true;
            }
        }
        return false;
    }

    /** {@return for how long the most silent peer has been silent} */
    long longestSilence(long now) {
        long longest = 0;
        for (PeerHeartbeat heartbeat : heartbeats) {
            longest = heartbeat == null ? longest : Math.max(longest, heartbeat.silentNanos(now));
        }
        return longest;
    }

    /** {@return whom this rank has been missing for a while} */
    BitSet suspects() {
        return said.suspects(rank);
    }

    /** {@return from whom this rank is cut} */
    BitSet cuts() {
        return said.cuts(rank);
    }

    /** {@return whom this rank has found lost} */
    BitSet lost() {
        return said.lost(rank);
    }

    /** {@return what can be said now and could not before} */
    List<Detection> look(long now) {
        List<Detection> findings = new ArrayList<>();
        looks++;
        countOut(now);
        if (!there.get(rank)) {
            return findings;
        }
        listen(now, findings);
        noteCuts(now);
        condemn(now, findings);
        if (!lost().get(rank)) {
            separate(now, findings);
        }
        spoken.clear();
        return findings;
    }

    /** All at once, when the last of them was found long enough ago. */
    private void countOut(long now) {
        boolean isSettled = now - lastLostAt >= terms.limitNanos();
        for (int each = there.nextSetBit(0); isSettled && each >= 0; each = there.nextSetBit(each + 1)) {
            if (lost().get(each)) {
                gone(each);
            }
        }
    }

    private void listen(long now, List<Detection> findings) {
        suspects().clear();
        unheard.clear();
        for (int peer = 0; peer < heartbeats.length; peer++) {
            PeerHeartbeat heartbeat = heartbeats[peer];
            if (heartbeat == null) {
                continue;
            }
            PeerHeartbeat.Liveness finding = heartbeat.look(now);
            if (finding == PeerHeartbeat.Liveness.DEAD) {
                unheard.set(peer);
                said.forget(peer);
            } else if (finding == PeerHeartbeat.Liveness.SILENT && !lost().get(peer)) {
                findings.add(new Detection.Silent(peer, heartbeat.silentNanos(now)));
            }
            suspects()
                    .set(
                            peer,
                            heartbeat.silentNanos(now) >= terms.suspectNanos()
                                    || said.suspects(peer).get(rank));
        }
    }

    /** A cut that was told of stays: the groups of both ends have ended. */
    private void noteCuts(long now) {
        BitSet own = cuts();
        for (int peer = 0; peer < heartbeats.length; peer++) {
            boolean isCut = unheard.get(peer) || said.cuts(peer).get(rank);
            if (isCut && !own.get(peer)) {
                cutAt[peer] = now;
                cutLook[peer] = looks;
                awaited[peer] = null;
            }
            own.set(peer, isCut || told.get(peer));
        }
    }

    private void condemn(long now, List<Detection> findings) {
        int of = heartbeats.length;
        BitSet accused = said.accused(there);
        accused.andNot(lost());
        for (int each = accused.nextSetBit(0); each >= 0; each = accused.nextSetBit(each + 1)) {
            List<Integer> from = said.cutFrom(each, there);
            int reporter = 2 * from.size() > of ? rank : said.reporter(each, there);
            if (reporter >= 0) {
                lastLostAt = now;
                lost().set(each);
                findings.add(new Detection.Lost(each, from, reporter, of));
            }
        }
    }

    private void separate(long now, List<Detection> findings) {
        int of = heartbeats.length;
        for (int peer = there.nextSetBit(0); peer >= 0; peer = there.nextSetBit(peer + 1)) {
            boolean isNew = peer != rank && cuts().get(peer) && !told.get(peer) && !lost().get(peer);
            if (isNew && (!canBeLost(peer, of) || isSettled(peer, now))) {
                partFrom(peer);
                findings.add(Detection.Cut.of(rank, peer, left, there, of));
            }
        }
    }

    private boolean isSettled(int peer, long now) {
        long since = now - cutAt[peer];
        if (since < terms.settleNanos() || looks - cutLook[peer] < HeartbeatTerms.SETTLE_LOOKS) {
            return false;
        }
        BitSet silent = awaited[peer];
        if (silent == null) {
            silent = (BitSet) there.clone();
            silent.andNot(unheard);
            silent.andNot(cuts());
            silent.andNot(lost());
            silent.clear(rank);
            awaited[peer] = silent;
            return silent.isEmpty();
        }
        silent.andNot(spoken);
        silent.andNot(cuts());
        return silent.isEmpty() || since >= terms.suspectNanos();
    }

    /** {@return whether this rank or that peer may still be found lost: by ranks that suspect it, or that this rank does not hear} */
    private boolean canBeLost(int peer, int of) {
        return 2 * possibleCuts(peer) > of || 2 * possibleCuts(rank) > of;
    }

    private int possibleCuts(int each) {
        int possible = 0;
        for (int other = there.nextSetBit(0); other >= 0; other = there.nextSetBit(other + 1)) {
            boolean isSilentHere = suspects().get(other) || told.get(other);
            boolean isDoubtful =
                    said.suspects(other).get(each) || said.suspects(each).get(other) || (each != rank && isSilentHere);
            if (other != each && (said.areCut(each, other) || isDoubtful)) {
                possible++;
            }
        }
        return possible;
    }
}
