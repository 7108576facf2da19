package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names under which a group's calls were announced last, each with its latest ticket. So a call that recurs is announced as a slot
 * and a step, a few bytes whatever its name, and in whichever company it comes this time.
 *
 * <pre>
 *   slot      0          1          2          3
 *          +----------+----------+----------+----------+
 *          | conv1 #7 | conv2 #7 | (empty) #41 | head #6 |      New("norm#0") takes the slot whose turn it is, and goes to the next
 *          +----------+----------+----------+----------+
 *                         ^ next                                Again(slot 0, tickets 1) is conv1#8
 * </pre>
 *
 * <p>A call in a composite is of another name than one outside, and than one in another composite: its own name and those of the runs that it
 * is in tell them apart. Their tickets are kept with it. So the i-th call of run n is announced by its step from the call before it of that name,
 * in this run or the last, and by the step from run to run.
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
    /** The latest call of each name. */
    private final List<CallKey.Ticket> lines = new ArrayList<>();

    private final Map<Name, Integer> slotOf = new HashMap<>();
    private int next;

    /**
     * A call's name with those of the runs that it is in: what it shares with the others of its slot.
     *
     * @param path group and name of each, from the inside out
     */
    private record Name(List<Object> path) {

        static Name of(CallKey.Ticket key) {
            List<Object> path = new ArrayList<>(2);
            add(path, key);
            for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
                add(path, each.run());
            }
            return new Name(path);
        }

        private static void add(List<Object> path, CallKey.Ticket key) {
            path.add(GroupKey.of(key));
            path.add(key.name());
        }
    }

    RecentNames(GroupKey group, int slots) {
        this.group = group;
        this.slots = slots;
    }

    /** {@return the next place in the order, of that call} */
    NameReference write(CallKey.Ticket key) {
        Integer slot = slotOf.get(Name.of(key));
        if (slot == null) {
            add(key);
            return new NameReference.New(key);
        }
        CallKey.Ticket before = lines.set(slot, key);
        return new NameReference.Again(
                group, slot, key.ticket() - before.ticket(), steps(before, key), key.ordinal(), runSteps(before, key));
    }

    private static long steps(CallKey before, CallKey key) {
        return key.outermost().step() - before.outermost().step();
    }

    private static List<NameReference.RunStep> runSteps(CallKey.Ticket before, CallKey.Ticket key) {
        Enclosure from = before.enclosure();
        Enclosure to = key.enclosure();
        if (from == null || to == null) {
            return List.of();
        }
        List<NameReference.RunStep> steps = new ArrayList<>();
        while (from != null && to != null) {
            steps.add(new NameReference.RunStep(
                    to.run().ticket() - from.run().ticket(), to.run().ordinal()));
            from = from.outer();
            to = to.outer();
        }
        return steps;
    }

    /**
     * {@return the call whose place is the next in the order}
     *
     * @throws ProtocolException if no such call was written
     */
    CallKey.Ticket read(NameReference place) {
        return switch (place) {
            case NameReference.New fresh -> {
                add(fresh.key());
                yield fresh.key();
            }
            case NameReference.Paired paired ->
                throw new IllegalArgumentException("a message is in no ring: message=" + paired);
            case NameReference.Again again -> again(again);
        };
    }

    private CallKey.Ticket again(NameReference.Again again) {
        if (again.slot() >= lines.size()) {
            throw new ProtocolException("unknown slot: slot=" + again.slot() + ", known=" + lines.size());
        }
        CallKey.Ticket before = lines.get(again.slot());
        Enclosure enclosure = before.enclosure();
        int depth = enclosure == null ? 0 : enclosure.depth();
        if (again.runs().size() != depth) {
            throw new ProtocolException("a call is in other composite calls than those of its slot: runs="
                    + again.runs().size() + ", known=" + depth);
        }
        @Nullable Enclosure[] around = new Enclosure[1];
        step(enclosure, again, 0, around);
        long step = enclosure == null ? stepAfter(before, again.steps()) : before.step();
        CallKey.Ticket key = new CallKey.Ticket(
                before.generation(),
                before.group(),
                step,
                before.name(),
                before.ticket() + again.tickets(),
                again.ordinal(),
                around[0]);
        lines.set(again.slot(), key);
        return key;
    }

    /** Steps the runs that a call is in, the outermost first. @param around takes what it is in then, if anything */
    private static void step(
            @Nullable Enclosure before, NameReference.Again again, int level, @Nullable Enclosure[] around) {
        if (before != null) {
            CallKey.Ticket run = before.run();
            step(run.enclosure(), again, level + 1, around);
            NameReference.RunStep way = again.runs().get(level);
            long step = run.enclosure() == null ? stepAfter(run, again.steps()) : run.step();
            CallKey.Ticket next = new CallKey.Ticket(
                    run.generation(),
                    run.group(),
                    step,
                    run.name(),
                    run.ticket() + way.tickets(),
                    way.ordinal(),
                    around[0]);
            around[0] = new Enclosure(next, before.operation(), before.words());
        }
    }

    private static long stepAfter(CallKey.Ticket before, long steps) {
        long step = before.step() + steps;
        if (step < CallKey.NO_STEP) {
            throw new ProtocolException("impossible number of a scope: number=" + step + ", before=" + before.label());
        }
        return step;
    }

    private void add(CallKey.Ticket key) {
        if (lines.size() < slots) {
            lines.add(key);
        } else {
            slotOf.remove(Name.of(lines.set(next, key)));
        }
        slotOf.put(Name.of(key), next);
        next = (next + 1) % slots;
    }
}
