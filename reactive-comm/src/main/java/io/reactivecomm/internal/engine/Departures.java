package io.reactivecomm.internal.engine;

import io.reactivecomm.CommException;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The ends of peers and groups: lost, departed in good order, aborted, or left by this rank; and what that means for the calls under way.
 *
 * <p>A loss is told to every rank that can still be reached, the lost one included: it may only be cut off from some, and must not take
 * those who drop it for lost in turn. A rank that has heard that it is lost itself says nothing of others any more: whoever drops it is none of
 * the lost. Two ranks that are cut from each other without one of them being lost end the groups that hold both, everywhere. Owned by the loop.
 */
final class Departures {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Steps steps;
    private final Contradictions contradictions;
    private final Watch watch;
    private final Events events;
    /** This rank is lost to the others. */
    private boolean isOut;
    /** The reason for which this rank has aborted the world's group, or null. */
    private @Nullable Failure worldAbort;

    Departures(
            World world,
            Calls calls,
            Messages messages,
            Composites composites,
            ForeignCalls foreign,
            Steps steps,
            Contradictions contradictions,
            Watch watch,
            Events events) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.composites = composites;
        this.foreign = foreign;
        this.steps = steps;
        this.contradictions = contradictions;
        this.watch = watch;
        this.events = events;
    }

    /** A link is down; without a cause either side ended it in good order. */
    void down(Peer peer, @Nullable String cause) {
        if (peer.isUp() && cause != null) {
            lose(peer, cause);
        } else if (peer.isUp()) {
            departed(peer);
        }
        if (peer.state() == Peer.State.DEPARTED) {
            peer.path().outbox().settle();
            world.clear(peer);
        }
    }

    /** A peer sent what makes no sense: it is not one of us. */
    void brokeProtocol(Peer peer, ProtocolException e) {
        lose(peer, "it broke the protocol: " + CommException.textOf(e));
        peer.path().link().close();
    }

    /** A peer says that a rank is lost. */
    void reportedLost(Peer reporter, Frame.Lost lost) {
        String cause = lost.cause() + " (reported by rank " + reporter.rank() + ")";
        if (lost.rank() >= 0 && lost.rank() <= world.peers().size()) {
            lost(lost.rank(), cause);
        }
    }

    /** The transport has found a rank lost, maybe this one. */
    void foundLost(int rank, String cause) {
        lost(rank, cause);
    }

    private void lost(int rank, String cause) {
        if (rank == world.rank()) {
            isOut = true;
            endGroupsOf(rank, Failures.lostToOthers(rank, cause));
        } else if (world.peer(rank).isUp()) {
            Peer peer = world.peer(rank);
            sayLast(peer, new Frame.Lost(rank, cause));
            lose(peer, cause);
            peer.path().link().close();
        }
    }

    private static void sayLast(Peer peer, Frame frame) {
        peer.tell(frame);
        peer.tell(new Frame.Goodbye());
        peer.path().outbox().flush();
    }

    /** The transport has found that this rank and a peer do not hear each other. */
    void foundCut(Peer peer, String cause) {
        if (peer.isUp()) {
            Frame.Cut cut = new Frame.Cut(world.rank(), peer.rank(), cause);
            sayLast(peer, cut);
            peer.moveTo(Peer.State.LOST);
            world.clear(peer);
            watch.gone(peer);
            tellAll(cut);
            endGroupsOf(peer.rank(), Failures.cut(world.rank(), peer.rank(), peer.rank(), cause));
            world.groups().forEach(world::forgetIfDeserted);
            peer.path().link().close();
        }
    }

    /** A peer says that it and another rank do not hear each other. */
    void reportedCut(Peer reporter, Frame.Cut cut) {
        if (cut.one() != reporter.rank() || cut.other() > world.peers().size() || cut.other() == cut.one()) {
            throw new ProtocolException("a cut between impossible ranks: one=" + cut.one() + ", other=" + cut.other());
        }
        if (cut.other() == world.rank()) {
            foundCut(reporter, cut.cause());
            return;
        }
        // Of the two this rank hears the reporter, at least.
        Failure failure = Failures.cut(cut.one(), cut.other(), cut.other(), cut.cause());
        for (GroupState group : world.groups()) {
            if (holdsBoth(group, cut) && !group.isControl() && group.ended() == null) {
                end(group, failure);
            }
        }
    }

    private static boolean holdsBoth(GroupState group, Frame.Cut cut) {
        return group.groupRank(cut.one()) >= 0 && group.groupRank(cut.other()) >= 0;
    }

    private void lose(Peer peer, String cause) {
        peer.moveTo(Peer.State.LOST);
        world.clear(peer);
        watch.gone(peer);
        events.lost(peer.rank(), cause);
        tellAll(new Frame.Lost(peer.rank(), cause));
        endGroupsOf(peer.rank(), Failures.lost(peer.rank(), cause));
        world.groups().forEach(world::forgetIfDeserted);
    }

    private void tellAll(Frame frame) {
        for (Peer other : world.peers()) {
            if (other.isUp() && !isOut) {
                other.tell(frame);
            }
        }
    }

    private void endGroupsOf(int worldRank, Failure failure) {
        world.groupsOf(worldRank).forEach(group -> {
            if (group.isControl() && worldRank != world.rank()) {
                // Engines go on talking to those who are left.
                left(world.peer(worldRank), group);
            } else {
                end(group, failure);
            }
        });
    }

    /** A peer has left in good order: what needs it cannot end any more. */
    void departed(Peer peer) {
        peer.moveTo(Peer.State.DEPARTED);
        watch.gone(peer);
        failWhatNeeds(peer, call -> true);
        world.groups().forEach(world::forgetIfDeserted);
    }

    private void failWhatNeeds(Peer peer, Predicate<Call> concerned) {
        for (Call call : calls.live().snapshot()) {
            if (concerned.test(call) && needs(call, peer)) {
                calls.failedEverywhere(call, Failures.departed(call.collective().label(), call.label(), peer.rank()));
            }
        }
        contradictions.reportAgain();
    }

    /** A peer has closed a group for itself, and has forgotten what messages it was offered there. */
    void left(Peer peer, GroupState group) {
        group.left(peer.rank());
        failWhatNeeds(peer, call -> call.group() == group);
        world.messages(peer).forgetGroup(group.id());
        world.forgetIfDeserted(group);
    }

    private boolean needs(Call call, Peer peer) {
        if (call.state() == Call.State.POSTED) {
            Submission.Address address = call.submission().address();
            return address instanceof Submission.Address.From from
                    && (from.peer() < 0
                            ? world.others(call.group()).stream().noneMatch(call.group()::isReachable)
                            : call.group().worldRank(from.peer()) == peer.rank());
        }
        Partner partner = call.partner(peer);
        return partner != null && !partner.isFinished();
    }

    /** Ends a group on this rank: nothing of it can succeed any more. */
    void end(GroupState group, Failure failure) {
        events.ended(group, failure);
        group.end(failure);
        for (Call call : calls.live().snapshot()) {
            if (call.group() == group) {
                calls.failed(call, CallFailures.during(failure, call));
            }
        }
        composites.groupEnded(group, failure);
        steps.forgetGroup(group.id());
        foreign.forgetGroup(group.id());
        messages.forgetGroup(group.id());
        for (Peer peer : world.peers()) {
            world.openings(peer).forgetGroup(group.id());
            world.messages(peer).forgetGroup(group.id());
        }
    }

    /** Ends a group on all ranks, unless it has ended: then the others hear, or have heard, the first cause, and no second one overtakes it. */
    void abort(GroupState group, String reason) {
        Failure failure = Failures.aborted(world.rank(), reason);
        if (group.ended() == null) {
            world.tell(group, new Frame.GroupAbort(group.id(), failure));
            end(group, failure);
        }
        group.endHere(failure, false);
        if (group.isWorld() && worldAbort == null) {
            worldAbort = failure;
        }
    }

    /**
     * A peer says why a group has ended. Each rank passes the first cause that it hears on: when it leaves then, as who has heard of a failure
     * does, nobody who has not heard the cause from its origin yet takes the leaving for it.
     */
    void heardOfAbort(GroupState group, Frame.GroupAbort abort) {
        if (group.ended() == null) {
            world.tell(group, abort);
        }
        end(group, abort.failure());
    }

    /** An engine beside this one cannot serve a group any more: it ends on all ranks, unless it has ended. */
    void failedBeside(long id, Failure failure) {
        GroupState group = world.group(id);
        if (group != null && group.ended() == null) {
            world.tell(group, new Frame.GroupAbort(id, failure));
            end(group, failure);
        }
    }

    /** Ends all groups on all ranks, those that have ended excepted. */
    void fail(Failure failure) {
        fail(failure, group -> true);
    }

    private void fail(Failure failure, Predicate<GroupState> concerned) {
        for (GroupState group : world.groups()) {
            if (group.ended() == null && concerned.test(group)) {
                world.tell(group, new Frame.GroupAbort(group.id(), failure));
                end(group, failure);
            }
        }
    }

    /** A group was not agreed on here: it ends for those members to whom it seems that it was, and this rank forgets it. */
    void abandon(GroupState group) {
        Failure failure = Failures.aborted(world.rank(), "the agreement on the group failed on one of its ranks");
        world.tell(group, new Frame.GroupAbort(group.id(), failure));
        world.tell(group, new Frame.Leave(group.id()));
        end(group, failure);
        world.endUnknown(group.id(), failure);
    }

    /** This rank closes one group for itself: its pending calls fail everywhere, and the other members know that it is gone. */
    void leaveGroup(GroupState group) {
        if (group.hasBeenLeft()) {
            return;
        }
        Failure failure = Failures.closed(world.rank());
        composites.leaveGroup(group, failure);
        for (Call call : calls.live().snapshot()) {
            if (call.group() == group) {
                calls.failedEverywhere(call, CallFailures.during(failure, call));
            }
        }
        group.endHere(failure, true);
        end(group, failure);
        group.leave();
        world.tell(group, new Frame.Leave(group.id()));
        world.forgetIfDeserted(group);
    }

    /**
     * Leaves the world: this rank's pending calls fail on all ranks, and each peer gets a goodbye after the last frame. If this rank has aborted the world's
     * group, its other groups end on all ranks with the same reason.
     */
    void leave() {
        if (worldAbort != null) {
            fail(worldAbort, group -> !group.isControl());
        }
        Failure failure = Failures.closed(world.rank());
        world.groups().forEach(group -> composites.leaveGroup(group, failure));
        for (Call call : calls.live().snapshot()) {
            calls.failedEverywhere(call, CallFailures.during(failure, call));
        }
        world.groups().forEach(group -> {
            group.endHere(failure, true);
            end(group, failure);
        });
        for (Peer peer : world.peers()) {
            if (peer.state() != Peer.State.LOST) {
                peer.tell(new Frame.Goodbye());
                peer.path().outbox().flush();
            }
            peer.path().link().close();
        }
    }
}
