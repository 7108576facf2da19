package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The names under which a group's calls were announced last, each with its latest ticket. So a call that recurs is announced as a slot
 * and a step, a few bytes whatever its name, and in whichever company it comes this time.
 *
 * <pre>
 *   slot      0          1          2          3
 *          +----------+----------+----------+----------+
 *          | conv1 #7 | conv2 #7 | (empty) #41 | head #6 |      New("norm#0") takes the slot whose turn it is, and goes to the next
 *          +----------+----------+----------+----------+
 *                         ^ next                                Again(slot 0, step 1) is conv1#8
 * </pre>
 *
 * <p>There is one for each group, at the leader and at each member. A group's calls are announced to all its members in one order, and
 * every place changes the ring by the same rule, whoever writes or reads it. So what is evicted is evicted alike everywhere, and no message
 * says so. A member that has ended the group goes on reading until the leader has ended it too.
 */
final class RecentNames {

    /** More than the layers of nearly all models; a name takes some hundred bytes. */
    static final int SLOTS = 1024;

    private final GroupKey group;
    private final int slots;
    private final List<Line> lines = new ArrayList<>();
    private final Map<String, Integer> slotOf = new HashMap<>();
    private int next;

    private static final class Line {

        private final String name;
        private long ticket;

        private Line(String name, long ticket) {
            this.name = name;
            this.ticket = ticket;
        }
    }

    RecentNames(GroupKey group, int slots) {
        this.group = group;
        this.slots = slots;
    }

    /** {@return the next place in the order, of that call} */
    NameReference write(CallKey.Ticket key) {
        Integer slot = slotOf.get(key.name());
        if (slot == null) {
            add(key);
            return new NameReference.New(key);
        }
        Line line = lines.get(slot);
        long step = key.ticket() - line.ticket;
        line.ticket = key.ticket();
        return new NameReference.Again(group, slot, step, key.ordinal());
    }

    /**
     * {@return the call whose place is the next in the order}
     *
     * @throws ProtocolException if no such call was written
     */
    CallKey.Ticket read(NameReference place) {
        Line line;
        int ordinal;
        switch (place) {
            case NameReference.New fresh -> {
                add(fresh.key());
                line = lines.get(Objects.requireNonNull(slotOf.get(fresh.key().name())));
                ordinal = fresh.key().ordinal();
            }
            case NameReference.Again again -> {
                line = again(again);
                ordinal = again.ordinal();
            }
        }
        return new CallKey.Ticket(group.generation(), group.id(), line.name, line.ticket, ordinal);
    }

    private Line again(NameReference.Again again) {
        if (again.slot() >= lines.size()) {
            throw new ProtocolException("unknown slot: slot=" + again.slot() + ", known=" + lines.size());
        }
        Line line = lines.get(again.slot());
        line.ticket += again.step();
        return line;
    }

    private void add(CallKey.Ticket key) {
        Line line = new Line(key.name(), key.ticket());
        if (lines.size() < slots) {
            lines.add(line);
        } else {
            slotOf.remove(lines.set(next, line).name);
        }
        slotOf.put(key.name(), next);
        next = (next + 1) % slots;
    }
}
