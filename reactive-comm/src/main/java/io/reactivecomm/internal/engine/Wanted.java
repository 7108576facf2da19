package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.SequencedSet;

/** The messages that peers wait for in composite calls and that this rank has not sent. The oldest are forgotten. Owned by the loop. */
final class Wanted {

    private final SequencedSet<Want> all = new LinkedHashSet<>();
    private final int kept;

    Wanted(int kept) {
        this.kept = kept;
    }

    private record Want(Channel channel, int peer, long number) {}

    void add(Channel channel, int peer, long number) {
        all.add(new Want(channel, peer, number));
        if (all.size() > kept) {
            all.removeFirst();
        }
    }

    void remove(Channel channel, int peer, long number) {
        if (!all.isEmpty()) {
            all.remove(new Want(channel, peer, number));
        }
    }

    boolean holdsPartOf(CallKey.Ticket run) {
        for (Want want : all) {
            if (want.channel.isPartOf(run)) {
                return true;
            }
        }
        return false;
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
