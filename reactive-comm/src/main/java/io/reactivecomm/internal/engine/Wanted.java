package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;

/** The counted messages that peers wait for and that this rank has not sent. The oldest are forgotten. Owned by the loop. */
final class Wanted {

    private final SequencedSet<Want> all = new LinkedHashSet<>();
    private final int kept;

    Wanted(int kept) {
        this.kept = kept;
    }

    /** A message that a peer waits for. */
    record Want(Channel channel, int peer, long number) {}

    void add(Want want) {
        all.add(want);
        if (all.size() > kept) {
            all.removeFirst();
        }
    }

    /** {@return whether it was there} */
    boolean remove(Want want) {
        return !all.isEmpty() && all.remove(want);
    }

    boolean has(Want want) {
        return !all.isEmpty() && all.contains(want);
    }

    /** {@return those of a group} */
    List<Want> of(long group) {
        return all.stream().filter(want -> want.channel.group() == group).toList();
    }

    boolean holdsPartOf(CallKey.Ticket run) {
        for (Want want : all) {
            if (want.channel.isPartOf(run)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the runs of composite calls of a group in which they are} */
    Set<CallKey.Ticket> runsOf(long group) {
        Set<CallKey.Ticket> runs = new LinkedHashSet<>();
        for (Want want : all) {
            Enclosure enclosure = want.channel.enclosure();
            CallKey.Ticket run = enclosure == null ? null : enclosure.runOf(group);
            if (run != null) {
                runs.add(run);
            }
        }
        return runs;
    }

    void forgetPartsOf(CallKey.Ticket run) {
        for (Iterator<Want> each = all.iterator(); each.hasNext(); ) {
            if (each.next().channel.isPartOf(run)) {
                each.remove();
            }
        }
    }

    void forgetGroup(long group) {
        all.removeIf(want -> want.channel.group() == group);
    }
}
