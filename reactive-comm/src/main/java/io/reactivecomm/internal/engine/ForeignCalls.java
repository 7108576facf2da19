package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls that other engines than the one over links perform on this rank, by identity, from their beginning to their end: so a peer that gives the same
 * call to links is answered, and does not wait for this rank until its deadline. Owned by the loop.
 */
final class ForeignCalls {

    private final World world;
    private final Calls calls;
    private final Signals signals;
    private final Map<CallKey, QueueEntry.Foreign> live = new HashMap<>();
    /** Those that have got calls in this turn. */
    private final Set<CollectiveEngine> begun = new LinkedHashSet<>();

    ForeignCalls(World world, Calls calls, Signals signals) {
        this.world = world;
        this.calls = calls;
        this.signals = signals;
    }

    /** {@return whether one of that identity is under way} */
    boolean has(CallKey key) {
        return !live.isEmpty() && live.containsKey(key);
    }

    /** {@return the group of one that is under way, or null} */
    @Nullable GroupState groupOf(CallKey key) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        return call == null ? null : call.group();
    }

    /** {@return what was called and by which engine, or an empty text} */
    String describe(CallKey key) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        return call == null ? "" : call.words().get();
    }

    /** {@return whether a call began: its engine has it now. Otherwise it has ended, by what other ranks have said of it} */
    boolean begin(QueueEntry.Foreign call) {
        CallKey.Ticket key = call.key();
        if (key != null) {
            Failure known = calls.tombstones().find(key);
            if (known != null) {
                call.performer().refuse(key, known);
                end(call, known, () -> call.sink().failed(known));
                return false;
            }
            live.put(key, call);
        }
        begun.add(call.performer().engine());
        call.performer().begin();
        return true;
    }

    /** The loop's turn has begun what there was to begin: engines that got calls hear that these are all. */
    void allBegun() {
        if (!begun.isEmpty()) {
            List<CollectiveEngine> engines = List.copyOf(begun);
            begun.clear();
            engines.forEach(CollectiveEngine::submitted);
        }
    }

    /** {@return whether a peer has opened, over links, a call under the identity of one, or in a composite of that} */
    boolean isContradicted(CallKey.Ticket key) {
        List<Peer> peers = world.peers();
        for (int i = 0; i < peers.size(); i++) {
            Openings openings = world.openings(peers.get(i));
            if (openings.holds(key) || openings.holdsPartOf(key)) {
                return true;
            }
        }
        return false;
    }

    /** Its engine has ended a call; whoever gives it to links later is told how. */
    void end(QueueEntry.Foreign call, @Nullable Failure failure, Runnable tell) {
        CallKey.Ticket key = call.key();
        if (key != null) {
            live.remove(key, call);
            if (failure != null) {
                calls.tombstones().put(key, failure);
            }
        }
        signals.add(tell);
        Composite within = call.within();
        if (within != null) {
            // Behind the news for the call's subscriber: a composite call ends after all that is in it.
            within.partEnded();
        }
    }

    /** A call has failed by what ranks have said over links: its engine is told, and ends it. */
    void failed(CallKey key, Failure failure) {
        QueueEntry.Foreign call = live.isEmpty() ? null : live.get(key);
        if (call != null && call.key() != null) {
            call.performer().fail(call.key(), failure);
        }
    }

    /** {@return the first call under way in whose place a peer has opened a composite, or null} @param enclosure that of what it has opened */
    CallKey.@Nullable Ticket inPlaceOf(@Nullable Enclosure enclosure) {
        for (Enclosure each = enclosure; each != null; each = each.outer()) {
            if (has(each.run())) {
                return each.run();
            }
        }
        return null;
    }
}
