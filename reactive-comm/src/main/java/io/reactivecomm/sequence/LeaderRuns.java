package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs of composite calls at the leader: of those in which calls wait, which calls, and what the ranks say that the run is; of those that
 * have failed, or are over on some rank, why.
 *
 * <p>The ends are remembered for who has not heard of them, and the oldest are forgotten. That leaves nobody waiting: a rank whose call waits hears
 * of its run's failure over links, and says so; and where a run is over, the leader asks again.
 */
final class LeaderRuns {

    private final Map<CallKey.Ticket, Run> live = new HashMap<>();
    private final Map<CallKey.Ticket, Failure> failed = new Remembered<>();
    /** By run, then by world rank. */
    private final Map<CallKey.Ticket, Map<Integer, Failure>> over = new Remembered<>();

    /**
     * A run in which calls wait.
     *
     * @param words what it is on each rank that is ready for one of them
     */
    private record Run(Set<PendingCall> parts, Map<Integer, String> words) {

        Run() {
            this(new LinkedHashSet<>(), new TreeMap<>());
        }

        boolean differs() {
            return Set.copyOf(words.values()).size() > 1;
        }
    }

    /** The taker of a call that cannot have its turn any more. */
    interface EndTaker {

        /** @param level of the run that it is in and that has ended; 0 if the call has the identity of that run */
        void take(PendingCall call, Failure cause, int level);
    }

    /** A rank is ready for a call. {@return the run that is something else on another rank, or null} */
    CallKey.@Nullable Ticket ready(int from, PendingCall call, CallKey key) {
        CallKey.Ticket disputed = null;
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            Run run = live.computeIfAbsent(each.run(), ignored -> new Run());
            run.parts.add(call);
            run.words.putIfAbsent(from, each.words());
            if (run.differs()) {
                disputed = each.run();
            }
        }
        return disputed;
    }

    /** A call waits no more. */
    void forget(PendingCall call) {
        for (Enclosure each = call.key().enclosure(); each != null; each = each.outer()) {
            Run run = live.get(each.run());
            if (run != null && run.parts.remove(call) && run.parts.isEmpty()) {
                live.remove(each.run());
            }
        }
    }

    /** {@return whether calls wait in a run} */
    boolean isLive(CallKey run) {
        return !live.isEmpty() && live.containsKey(run);
    }

    /** {@return the runs in which calls wait} */
    int size() {
        return live.size();
    }

    /** {@return the calls that wait in a run, however deep} */
    List<PendingCall> partsOf(CallKey.Ticket run) {
        Run found = live.get(run);
        return found == null ? List.of() : List.copyOf(found.parts);
    }

    /** {@return what a run is, by world rank} */
    Map<Integer, String> words(CallKey.Ticket run) {
        Run found = live.get(run);
        return found == null ? Map.of() : found.words;
    }

    void failed(CallKey.Ticket run, Failure cause) {
        failed.putIfAbsent(run, cause);
    }

    void over(CallKey.Ticket run, int worldRank, Failure cause) {
        over.computeIfAbsent(run, ignored -> new TreeMap<>()).putIfAbsent(worldRank, cause);
    }

    /** {@return whether a run that a call is in has ended, or it has the identity of one; then that is told} */
    boolean tellEndOf(PendingCall call, EndTaker told) {
        if (failed.isEmpty() && over.isEmpty()) {
            return false;
        }
        int level = 0;
        Failure cause = cause(call.key(), call.missing());
        for (Enclosure each = call.key().enclosure(); cause == null && each != null; each = each.outer()) {
            level++;
            cause = cause(each.run(), call.missing());
        }
        if (cause != null) {
            told.take(call, cause, level);
        }
        return cause != null;
    }

    private @Nullable Failure cause(CallKey run, Collection<Integer> missing) {
        Failure cause = failed.get(run);
        Map<Integer, Failure> overOn = over.get(run);
        if (cause != null || overOn == null) {
            return cause;
        }
        return missing.stream()
                .filter(overOn::containsKey)
                .findFirst()
                .map(overOn::get)
                .orElse(null);
    }

    /** {@return whether a rank, which is not ready for a call, will not be any more} */
    boolean isOver(CallKey key, int worldRank) {
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            if (cause(each.run(), List.of(worldRank)) != null) {
                return true;
            }
        }
        return false;
    }

    /** {@return which of the runs that a call is in, from 1 for the innermost} */
    static int level(CallKey key, CallKey.Ticket run) {
        int level = 1;
        for (Enclosure each = key.enclosure(); each != null && !each.run().equals(run); each = each.outer()) {
            level++;
        }
        return level;
    }

    /** {@return the run at a level that is not 0} */
    static CallKey.Ticket at(CallKey key, int level) {
        Enclosure around = key.enclosure();
        for (int i = 1; i < level && around != null; i++) {
            around = around.outer();
        }
        if (level == 0 || around == null) {
            throw new IllegalArgumentException("a call is in fewer runs: call=" + key.label() + ", level=" + level);
        }
        return around.run();
    }
}
