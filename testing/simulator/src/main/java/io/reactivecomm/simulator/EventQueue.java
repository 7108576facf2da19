package io.reactivecomm.simulator;

import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * The events to come, by virtual time; events of one time come in seeded order.
 *
 * <p>It keeps a hash of all that happened, which tells whether two runs were the same, and on request the last lines of a readable trace.
 */
public final class EventQueue {

    private static final int KEPT_LINES = 400;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<String> lines = new ArrayDeque<>();
    private final SeededRandom dice;
    private final boolean traced;
    private long now;
    private long order;
    private long hash;
    private int happened;

    /** @param traced whether to keep a readable trace, which costs several times the run */
    public EventQueue(SeededRandom dice, boolean traced) {
        this.dice = dice;
        this.traced = traced;
    }

    private record Event(long time, int tie, long order, Runnable action) implements Comparable<Event> {

        @Override
        public int compareTo(Event other) {
            if (time != other.time) {
                return Long.compare(time, other.time);
            }
            return tie != other.tie ? Integer.compare(tie, other.tie) : Long.compare(order, other.order);
        }
    }

    /** {@return the virtual time} */
    public long now() {
        return now;
    }

    /** {@return how many events there were} */
    public int happened() {
        return happened;
    }

    /** {@return the same for the same events, and for hardly any others} */
    public long hash() {
        return hash;
    }

    /** Has something happen at that time, or now if that is past. */
    public void at(long time, Runnable action) {
        events.add(new Event(Math.max(now, time), dice.any(), order++, action));
    }

    /** Lets the next event happen. {@return whether there was one} */
    public boolean next() {
        Event event = events.poll();
        if (event == null) {
            return false;
        }
        now = event.time;
        happened++;
        note(now, event.order);
        event.action.run();
        return true;
    }

    /** Counts something as part of what happened. */
    public void note(long what, long detail) {
        hash = Long.rotateLeft((hash ^ what) * 0x9E37_79B9_7F4A_7C15L, 29) ^ detail * 0xC2B2_AE3D_27D4_EB4FL;
    }

    /** Adds a line to the readable trace. */
    public void tell(int rank, Supplier<String> line) {
        if (traced) {
            lines.add(String.format(Locale.ROOT, "%12.3f µs  rank %d  %s", now / 1000.0, rank, line.get()));
            if (lines.size() > KEPT_LINES) {
                lines.remove();
            }
        }
    }

    /** {@return the last lines of the readable trace} */
    public List<String> lines() {
        return List.copyOf(lines);
    }
}
