package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.stream.StreamPlace;
import io.reactivecomm.internal.stream.StreamWatch;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One step of a group on this rank: what was assembled in it, by counters of its own, and what of that is under way.
 *
 * <pre>
 *   OPEN ── the next begins ──&gt; OVER ── sixteen more have begun ──&gt; FORGOTTEN
 *   assembled, subscribed to     subscribed to                       neither; what is under way goes on
 * </pre>
 *
 * <p>To take a ticket and to find the step open are one act under its lock, and so are to subscribe and to find it kept: whoever is told that a call will
 * not come is told the truth, whatever other threads do meanwhile.
 *
 * <p><b>Threads.</b> Any; it is locked after {@link GroupSteps}, and never before.
 */
public final class GroupStep implements CallCounts, StreamWatch {

    /** The way of a group with a step. */
    enum State {
        OPEN,
        OVER,
        FORGOTTEN
    }

    /** A kind of call that is assembled in a step, and subscribed to. */
    private sealed interface Part {

        /** A collective or a composite call. */
        record Call(String name, long ticket) implements Part {}

        /** A message or a receive. */
        record Message(Submission.Address address) implements Part {}

        /** One end of a stream, which makes messages as it goes. */
        record Stream(StreamPlace place) implements Part {}
    }

    private final long number;
    private final Function<GroupStep, Assembler> assemblers;
    private final Runnable lessToCome;
    private final Tickets tickets = new Tickets();
    /** Messages and streams that were assembled and not subscribed to. */
    private final Map<Part, Integer> waiting = new HashMap<>();
    /** What was subscribed to and has not ended. */
    private final Map<Part, Integer> underWay = new HashMap<>();

    private State state = State.OPEN;
    private @Nullable Assembler assembler;

    /**
     * @param assemblers makes what makes its calls
     * @param lessToCome is told when something has ended that peers may wait for more of, and no more comes
     */
    GroupStep(long number, Function<GroupStep, Assembler> assemblers, Runnable lessToCome) {
        this.number = number;
        this.assemblers = assemblers;
        this.lessToCome = lessToCome;
    }

    @Override
    public long step() {
        return number;
    }

    /** {@return what makes its calls} */
    synchronized Assembler assembler() {
        Assembler made = assembler;
        if (made == null) {
            made = assemblers.apply(this);
            assembler = made;
        }
        return made;
    }

    synchronized State state() {
        return state;
    }

    synchronized void becomes(State next) {
        state = next;
    }

    @Override
    public synchronized long take(String name) {
        requireOpen();
        return tickets.take(name);
    }

    @Override
    public void assembled(Submission.Address message) {
        if (!isOfStream(message)) {
            assembled(new Part.Message(message));
        }
    }

    @Override
    public void assembled(StreamPlace stream) {
        assembled(new Part.Stream(stream));
    }

    private synchronized void assembled(Part part) {
        requireOpen();
        waiting.merge(part, 1, Integer::sum);
    }

    private void requireOpen() {
        if (state != State.OPEN) {
            throw new InvalidCallException("a call was assembled in a scope that has ended: number=" + number
                    + "; assemble all calls of a numbered scope before the next one begins");
        }
    }

    @Override
    public void subscribed(String name, long ticket, int ordinal, BorrowedTensors call) {
        Part part = new Part.Call(name, ticket);
        enter(part, false);
        tickets.subscribed(name, ticket, ordinal, call);
        call.whenEnded(() -> leave(part));
    }

    /** Those of a stream are made while that is under way, which stands for them. */
    @Override
    public void subscribed(Submission.Address message, int ordinal, BorrowedTensors call) {
        if (!isOfStream(message)) {
            Part part = new Part.Message(message);
            enter(part, ordinal == 1);
            call.whenEnded(() -> leave(part));
        }
    }

    @Override
    public void begins(StreamPlace stream, boolean isFirst) {
        enter(new Part.Stream(stream), isFirst);
    }

    @Override
    public void ends(StreamPlace stream) {
        leave(new Part.Stream(stream));
    }

    private synchronized void enter(Part part, boolean isFirst) {
        if (state == State.FORGOTTEN) {
            throw new InvalidCallException(
                    "a call was subscribed to too late after its scope: number=" + number + ", kept=" + GroupSteps.KEPT
                            + "; subscribe to it sooner, or assemble what is to be repeated in later scopes on the group itself");
        }
        underWay.merge(part, 1, Integer::sum);
        if (isFirst) {
            less(waiting, part);
        }
    }

    private static void less(Map<Part, Integer> counts, Part part) {
        counts.computeIfPresent(part, (ignored, count) -> count == 1 ? null : count - 1);
    }

    private void leave(Part part) {
        boolean isOver;
        synchronized (this) {
            less(underWay, part);
            isOver = !mayCome(part);
        }
        if (isOver) {
            lessToCome.run();
        }
    }

    /** {@return whether a collective or composite call may still be made, or is under way} */
    synchronized boolean mayCome(String name, long ticket) {
        return mayCome(new Part.Call(name, ticket));
    }

    /** {@return whether a message to a rank may still be made, or is under way} */
    synchronized boolean maySend(String name, int tag, int peer) {
        return StreamPlace.isOfMessages(name)
                ? mayCome(new Part.Stream(StreamPlace.ofMessage(true, peer, name, tag)))
                : mayCome(new Part.Message(new Submission.Address.To(number, name, tag, peer)));
    }

    /** {@return whether a receive from a rank, or from any, may still be made, or is under way} */
    synchronized boolean mayReceive(String name, int tag, int peer) {
        return StreamPlace.isOfMessages(name)
                ? mayCome(new Part.Stream(StreamPlace.ofMessage(false, peer, name, tag)))
                : mayCome(new Part.Message(new Submission.Address.From(number, name, tag, peer)));
    }

    private boolean mayCome(Part part) {
        return switch (state) {
            case OPEN -> true;
            case OVER -> underWay.containsKey(part) || wasAssembled(part);
            case FORGOTTEN -> underWay.containsKey(part);
        };
    }

    private boolean wasAssembled(Part part) {
        return part instanceof Part.Call call ? tickets.contains(call.name, call.ticket) : waiting.containsKey(part);
    }

    private static boolean isOfStream(Submission.Address message) {
        return switch (message) {
            case Submission.Address.To to -> StreamPlace.isOfMessages(to.name());
            case Submission.Address.From from -> StreamPlace.isOfMessages(from.name());
            case Submission.Address.Collectively ignored -> false;
        };
    }

    /** {@return whether a call has been assembled that nobody has subscribed to} */
    boolean isUnclaimed(String name, long ticket) {
        return tickets.isUnclaimed(name, ticket);
    }

    /** {@return whether something in it is under way} */
    synchronized boolean goesOn() {
        return !underWay.isEmpty();
    }
}
