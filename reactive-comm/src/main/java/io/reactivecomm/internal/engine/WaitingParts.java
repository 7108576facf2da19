package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The parts of composite calls that wait here for their run: calls that peers have opened in it, messages of theirs, and those that they wait for.
 * When the run cannot take them any more, each is answered with why. Owned by the loop.
 */
final class WaitingParts {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Wanted wanted;

    WaitingParts(World world, Calls calls, Messages messages) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.wanted = new Wanted(calls.limits().tombstones());
    }

    /** A peer waits for a message that this rank has not sent. */
    void wanted(Wanted.Want want) {
        wanted.add(want);
    }

    /** That message is sent now. */
    void sent(Wanted.Want want) {
        wanted.remove(want);
    }

    /** A run has ended well: nobody waits for a message of it. */
    void forgetWanted(CallKey.Ticket run) {
        wanted.forgetPartsOf(run);
    }

    /** A group has ended here: nothing that is wanted of it will be sent. */
    void forgetWanted(GroupState group) {
        wanted.forgetGroup(group.id());
    }

    /** {@return the runs of a group in which calls or messages wait here, or are waited for} */
    Set<CallKey.Ticket> runsOf(GroupState group) {
        Set<CallKey.Ticket> runs = messages.runsOf(group.id());
        runs.addAll(wanted.runsOf(group.id()));
        world.peers().forEach(peer -> runs.addAll(world.openings(peer).runsOf(group.id())));
        return runs;
    }

    /** {@return whether a peer needs a call or message in a run, which has not been made here} */
    boolean isAnyIn(CallKey.Ticket run) {
        for (Peer peer : world.peers()) {
            if (world.openings(peer).holdsPartOf(run)
                    && missing(peer, run).findAny().isPresent()) {
                return true;
            }
        }
        return messages.holdsPartOf(run) || wanted.holdsPartOf(run);
    }

    /** {@return the label of a call that peers have made in a run and this rank has not, for people; empty if they wait for messages} */
    String labelIn(CallKey.Ticket run) {
        return world.peers().stream()
                .flatMap(peer -> missing(peer, run))
                .map(CallKey::label)
                .findFirst()
                .orElse("");
    }

    private Stream<CallKey> missing(Peer peer, CallKey.Ticket run) {
        return world.openings(peer).partsOf(run).stream().filter(this::isMissing);
    }

    /** {@return whether a call has not been made here; that of a peer which disagrees about one that has ended here waits for the verdict} */
    private boolean isMissing(CallKey key) {
        return calls.recorder().describe(key).isEmpty();
    }

    /** A run has failed: whoever comes later hears why. */
    void remember(CallKey.Ticket run, Failure failure) {
        calls.tombstones().put(run, failure);
    }

    /** The same, and all ranks hear it now. */
    void tellFailure(CallKey.Ticket run, Failure failure) {
        remember(run, failure);
        GroupState group = world.group(run.group());
        if (group != null) {
            world.tell(group, new Frame.Abort(run, failure));
        }
    }

    /** Answers for what waits here to be begun in a run, and cannot be any more. */
    void fail(CallKey.Ticket run, Failure failure) {
        wanted.forgetPartsOf(run);
        if (messages.holdsPartOf(run)) {
            // Their senders hear of the run first.
            tellFailed(run);
        }
        for (Call call : messages.failPartsOf(run, failure)) {
            calls.failed(call, failure);
        }
        for (Peer peer : world.peers()) {
            for (CallKey key : world.openings(peer).partsOf(run)) {
                refuse(peer, key, failure);
            }
        }
    }

    /**
     * Fails a call that this rank cannot begin any more, for all who have. They hear of the run first, whoever else tells them: a body may not take the
     * call's failure for one that it can live with.
     */
    void refuse(Peer peer, CallKey key, Failure failure) {
        GroupState group = world.group(key.group());
        tellRunsAround(key);
        if (group == null || key instanceof CallKey.Message) {
            peer.tell(new Frame.Abort(key, failure));
        } else {
            world.tell(group, new Frame.Abort(key, failure));
        }
        world.forgetOpenings(key);
    }

    /** Tells all ranks which of the runs that a call is in have failed: outer ones first, for an inner failure may be one that a body can live with. */
    void tellRunsAround(CallKey key) {
        Enclosure enclosure = key.enclosure();
        if (enclosure != null) {
            tellFailed(enclosure.run());
        }
    }

    /** Tells all ranks that a run has failed, if it has, and those that it is in. */
    void tellFailed(CallKey.Ticket run) {
        tellRunsAround(run);
        Failure failed = calls.tombstones().find(run);
        GroupState group = world.group(run.group());
        if (failed != null && group != null) {
            world.tell(group, new Frame.Abort(run, failed));
        }
    }
}
