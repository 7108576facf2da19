package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The runs of composite calls that have ended on a rank, for whoever needs more of them, and the calls in runs that others wait for. The oldest
 * of both are forgotten. Owned by the member.
 */
final class MemberRuns {

    /** As many as are remembered of what has ended. */
    private static final int MOST_WANTED = 1024;

    private final Map<CallKey.Ticket, End> ended = new Remembered<>();
    private final SequencedSet<CallKey> wanted = new LinkedHashSet<>();

    /**
     * The end of a run on this rank.
     *
     * @param failed whether it has failed; else it is over
     * @param cause what is said of it to who needs a call of it
     */
    record End(CallKey.Ticket run, boolean failed, Function<String, Failure> cause) {

        /** {@return what the leader is told} */
        Notice.Over notice(CallKey missing) {
            return new Notice.Over(run, failed, cause.apply(missing.label()));
        }
    }

    /** A run ends here: the first end counts, unless the run has only been over and now fails. */
    void end(End end) {
        if (end.failed()) {
            ended.put(end.run(), end);
        } else {
            ended.putIfAbsent(end.run(), end);
        }
    }

    /** {@return the end of a run that a call is in, the innermost first, or of one that has the call's identity; null if there is none} */
    @Nullable End endOf(CallKey key) {
        if (ended.isEmpty()) {
            return null;
        }
        End end = ended.get(key);
        for (Enclosure each = key.enclosure(); end == null && each != null; each = each.outer()) {
            end = ended.get(each.run());
        }
        return end;
    }

    /** Others wait for a call that has not been made here. */
    void wanted(CallKey key) {
        wanted.add(key);
        if (wanted.size() > MOST_WANTED) {
            wanted.removeFirst();
        }
    }

    /** {@return the calls that others wait for and whose outermost run, or which themselves, are of a group} */
    List<CallKey> allWanted(EngineGroup group) {
        GroupKey of = GroupKey.of(group);
        return wanted.stream()
                .filter(key -> GroupKey.of(key.outermost()).equals(of))
                .toList();
    }

    /** A call is made. */
    void made(CallKey key) {
        if (!wanted.isEmpty()) {
            wanted.remove(key);
        }
    }

    /** {@return a call of a run, or the one of its identity, that others wait for, or null; they are answered now} */
    @Nullable CallKey answers(CallKey.Ticket run) {
        CallKey any = null;
        for (Iterator<CallKey> each = wanted.iterator(); each.hasNext(); ) {
            CallKey key = each.next();
            if (key.equals(run) || isPartOf(key, run)) {
                each.remove();
                any = key;
            }
        }
        return any;
    }

    static boolean isPartOf(CallKey key, CallKey.Ticket run) {
        Enclosure enclosure = key.enclosure();
        return enclosure != null && enclosure.isPartOf(run);
    }
}
