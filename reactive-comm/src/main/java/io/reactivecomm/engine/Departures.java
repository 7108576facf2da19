package io.reactivecomm.engine;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.ProtocolException;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How peers and groups end: lost, departed in good order, aborted, or left by this rank; and what that means for the calls under way.
 *
 * <p>A loss is told to every rank that can still be reached, the lost one included: it may only be cut off from some, and must not take
 * those who drop it for lost in turn. Owned by the loop.
 */
final class Departures {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Watch watch;

    Departures(World world, Calls calls, Messages messages, Watch watch) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.watch = watch;
    }

    /** A link is down; without a cause either side ended it in good order. */
    void down(Peer peer, @Nullable String cause) {
        if (peer.isUp() && cause != null) {
            lose(peer, cause);
        } else if (peer.isUp()) {
            departed(peer);
        }
        if (peer.state() == Peer.State.DEPARTED) {
            peer.outbox().settle();
            peer.clear();
        }
    }

    /** A peer sent what makes no sense: it is not one of us. */
    void brokeProtocol(Peer peer, ProtocolException e) {
        lose(peer, "it broke the protocol: " + e.getMessage());
        peer.link().close();
    }

    /** A peer says that a rank is lost. */
    void reportedLost(Peer reporter, Frame.Lost lost) {
        String cause = lost.cause() + " (reported by rank " + reporter.rank() + ")";
        if (lost.rank() == world.rank()) {
            endGroupsOf(world.rank(), cause);
        } else if (lost.rank() >= 0 && lost.rank() <= world.peers().size() && world.peer(lost.rank()).isUp()) {
            Peer peer = world.peer(lost.rank());
            peer.outbox().write(lost);
            peer.outbox().write(new Frame.Goodbye());
            peer.outbox().flush();
            lose(peer, cause);
            peer.link().close();
        }
    }

    private void lose(Peer peer, String cause) {
        peer.moveTo(Peer.State.LOST);
        peer.clear();
        for (Peer other : world.peers()) {
            if (other.isUp()) {
                other.outbox().write(new Frame.Lost(peer.rank(), cause));
            }
        }
        endGroupsOf(peer.rank(), cause);
        world.groups().forEach(world::forgetIfDeserted);
    }

    private void endGroupsOf(int worldRank, String cause) {
        Failure failure = Failures.lost(worldRank, cause);
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
        failWhatNeeds(peer, call -> true);
        world.groups().forEach(world::forgetIfDeserted);
    }

    private void failWhatNeeds(Peer peer, Predicate<Call> concerned) {
        for (Call call : calls.live().snapshot()) {
            if (!concerned.test(call)) {
                continue;
            }
            if (needs(call, peer)) {
                calls.failedEverywhere(call, Failures.departed(call.collective().label(), call.label(), peer.rank()));
            } else if (call.state() == Call.State.DISPUTED) {
                watch.dispute(call);
            }
        }
    }

    /** A peer has closed a group for itself, and has forgotten what messages it was offered there. */
    void left(Peer peer, GroupState group) {
        group.left(peer.rank());
        failWhatNeeds(peer, call -> call.group() == group);
        peer.messages().forgetGroup(group.id());
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
        group.end(failure);
        for (Call call : calls.live().snapshot()) {
            if (call.group() == group) {
                calls.failed(call, Failures.during(failure, call));
            }
        }
        messages.forgetGroup(group.id());
        for (Peer peer : world.peers()) {
            peer.openings().forgetGroup(group.id());
            peer.messages().forgetGroup(group.id());
        }
    }

    /** Ends a group on all ranks. */
    void abort(GroupState group, String reason) {
        if (group.hasBeenLeft()) {
            return;
        }
        Failure failure = Failures.aborted(world.rank(), reason);
        world.tell(group, new Frame.GroupAbort(group.id(), failure));
        end(group, failure);
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
        for (Call call : calls.live().snapshot()) {
            if (call.group() == group) {
                calls.failedEverywhere(call, Failures.during(failure, call));
            }
        }
        end(group, failure);
        group.leave();
        world.tell(group, new Frame.Leave(group.id()));
        world.forgetIfDeserted(group);
    }

    /** This rank leaves: its pending calls fail everywhere, and each peer sees a goodbye after the last frame. */
    void leave() {
        Failure failure = Failures.closed(world.rank());
        for (Call call : calls.live().snapshot()) {
            calls.failedEverywhere(call, Failures.during(failure, call));
        }
        world.groups().forEach(group -> end(group, failure));
        for (Peer peer : world.peers()) {
            if (peer.state() != Peer.State.LOST) {
                peer.outbox().write(new Frame.Goodbye());
                peer.outbox().flush();
            }
            peer.link().close();
        }
    }
}
