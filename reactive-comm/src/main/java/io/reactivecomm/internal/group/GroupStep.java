package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.stream.StreamWatch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * One step of a group on this rank: the calls that were assembled in it, by counters of its own, and the messages that may still be subscribed to.
 *
 * <pre>
 *   OPEN ── the next begins ──&gt; OVER ── sixteen more have begun ──&gt; FORGOTTEN
 *   assembled, subscribed to     subscribed to                       neither
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class GroupStep implements StreamWatch {

    /** The way of a group with a step. */
    enum State {
        OPEN,
        OVER,
        FORGOTTEN
    }

    private final long number;
    private final Assembler assembler;
    private final Runnable forgettable;
    private final Map<String, AtomicLong> tickets = new ConcurrentHashMap<>();
    /** Messages that were assembled and have not been subscribed to. */
    private final Map<Submission.Address, AtomicInteger> pending = new ConcurrentHashMap<>();
    /** Ends of streams and runs of composite calls that go on: what is in them is assembled as they go. */
    private final AtomicInteger goingOn = new AtomicInteger();

    private volatile boolean hadStreams;
    private volatile State state = State.OPEN;

    /**
     * @param assembler makes what makes its calls
     * @param forgettable is told when the last of a step has ended that is forgotten otherwise
     */
    GroupStep(long number, Function<GroupStep, Assembler> assembler, Runnable forgettable) {
        this.number = number;
        this.forgettable = forgettable;
        this.assembler = assembler.apply(this);
    }

    long number() {
        return number;
    }

    /** {@return what makes its calls} */
    Assembler assembler() {
        return assembler;
    }

    Map<String, AtomicLong> tickets() {
        return tickets;
    }

    State state() {
        return state;
    }

    void becomes(State next) {
        state = next;
    }

    /**
     * Requires that calls may still be assembled in it.
     *
     * @throws InvalidCallException if another has begun
     */
    void requireOpen() {
        if (state != State.OPEN) {
            throw new InvalidCallException("a call was assembled in a step that is over: step=" + number
                    + "; assemble all calls of a step before the next one begins");
        }
    }

    /**
     * Requires that its calls may still be subscribed to.
     *
     * @throws InvalidCallException if too many steps have begun since
     */
    void requireKept() {
        if (state == State.FORGOTTEN) {
            throw new InvalidCallException("a call was subscribed to too late after its step: step=" + number + ", kept=" + GroupSteps.KEPT
                    + "; subscribe to it sooner, or assemble what is to be repeated in later steps on the group itself");
        }
    }

    boolean contains(String name, long ticket) {
        return contains(tickets, name, ticket);
    }

    /** {@return whether a ticket has been taken} */
    static boolean contains(Map<String, AtomicLong> tickets, String name, long ticket) {
        AtomicLong next = tickets.get(name);
        return next != null && ticket < next.get();
    }

    /** A message is assembled. */
    void assembled(Submission.Address message) {
        pending.computeIfAbsent(message, ignored -> new AtomicInteger()).incrementAndGet();
    }

    /** It was subscribed to, and the engine has it. {@return whether peers are to be answered that wait for more} */
    boolean hasBegun(Submission.Address message) {
        pending.computeIfPresent(message, (ignored, count) -> count.decrementAndGet() == 0 ? null : count);
        return state != State.OPEN;
    }

    /** {@return whether such a message may still be subscribed to} */
    boolean mayHave(Submission.Address message) {
        return pending.containsKey(message) || hadStreams && state != State.FORGOTTEN || goesOn();
    }

    /** A stream is assembled: which messages it will make nobody knows. */
    void assembledStream() {
        hadStreams = true;
    }

    /** {@return whether something in it goes on} */
    boolean goesOn() {
        return goingOn.get() > 0;
    }

    @Override
    public void begins() {
        goingOn.incrementAndGet();
    }

    @Override
    public void ends() {
        if (goingOn.decrementAndGet() == 0 && state == State.FORGOTTEN) {
            forgettable.run();
        }
    }
}
