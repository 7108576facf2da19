package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.engine.Channel;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.ProgramCalls;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a group on this rank, and what was assembled in them and outside: so the rank can say of a call that others wait for whether it
 * will make it.
 *
 * <p><b>Threads.</b> Any.
 */
public final class GroupSteps implements ProgramCalls {

    /** So long may calls of a step that is over still be subscribed to. */
    public static final int KEPT = 16;

    private final GroupState group;
    private final Function<GroupStep, Assembler> assemblers;
    private final Runnable stepped;
    private final Function<CallKey.Ticket, @Nullable Failure> switchedOff;
    private final Tickets outside = new Tickets();
    /** The present step, those over before it, and older ones in which something is under way. */
    private final NavigableMap<Long, GroupStep> known = new TreeMap<>();

    private long present = CallKey.NO_STEP;
    /** The latest one that is no more known. */
    private long forgotten = CallKey.NO_STEP;

    /**
     * Steps whose calls are made elsewhere.
     *
     * @param stepped is told when peers are to be answered who wait for calls of steps that are over
     */
    public GroupSteps(GroupState group, Runnable stepped) {
        this(
                group,
                step -> {
                    throw new IllegalStateException("no calls of scopes are made here: number=" + step.step());
                },
                stepped,
                call -> null);
    }

    /**
     * @param assemblers makes what makes the calls of a step
     * @param stepped is told when peers are to be answered who wait for calls of steps that are over
     * @param switchedOff gives the failure of a call that is off, or null
     */
    GroupSteps(
            GroupState group,
            Function<GroupStep, Assembler> assemblers,
            Runnable stepped,
            Function<CallKey.Ticket, @Nullable Failure> switchedOff) {
        this.group = group;
        this.assemblers = assemblers;
        this.stepped = stepped;
        this.switchedOff = switchedOff;
    }

    /** {@return the count of calls that are in no step} */
    Tickets outside() {
        return outside;
    }

    /**
     * {@return a step that begins, or goes on}
     *
     * @throws InvalidCallException if a later one has begun
     */
    public GroupStep step(long number) {
        if (number < 0) {
            throw new IllegalArgumentException("a scope has a negative number: number=" + number + "; count from 0");
        }
        boolean begins;
        GroupStep step;
        synchronized (this) {
            begins = number > present;
            if (begins) {
                begin(number);
            }
            step = known.get(number);
            if (step == null || number < present) {
                throw new InvalidCallException("numbers of scopes only rise: number=" + number + ", present=" + present
                        + ", rank=" + worldRank()
                        + "; use a larger number, or make calls that belong to no scope on the group itself");
            }
        }
        if (begins) {
            stepped.run();
        }
        return step;
    }

    private void begin(long number) {
        GroupStep before = known.get(present);
        if (before != null) {
            before.becomes(GroupStep.State.OVER);
        }
        present = number;
        known.put(number, new GroupStep(number, assemblers, this::ended));
        forgetOldest();
    }

    private void forgetOldest() {
        int over = (int) known.values().stream()
                .filter(step -> step.state() == GroupStep.State.OVER)
                .count();
        for (GroupStep step : known.values()) {
            if (step.state() == GroupStep.State.OVER && over > KEPT) {
                step.becomes(GroupStep.State.FORGOTTEN);
                forgotten = step.step();
                over--;
            }
        }
        known.values().removeIf(step -> step.state() == GroupStep.State.FORGOTTEN && !step.goesOn());
    }

    /** Peers may have waited for more of what has ended, or a step have been kept for its sake. */
    private void ended() {
        synchronized (this) {
            forgetOldest();
        }
        stepped.run();
    }

    private int worldRank() {
        return group.worldRank(group.rank());
    }

    @Override
    public synchronized boolean isUnclaimed(CallKey.Ticket call) {
        if (call.step() == CallKey.NO_STEP) {
            return outside.isUnclaimed(call.name(), call.ticket());
        }
        GroupStep step = known.get(call.step());
        return step != null && step.isUnclaimed(call.name(), call.ticket());
    }

    @Override
    public @Nullable Failure whyOff(CallKey.Ticket call) {
        return switchedOff.apply(call);
    }

    @Override
    public boolean ifNever(CallKey call, Consumer<Failure> told) {
        return switch (call) {
            case CallKey.Ticket ticket -> ifNever(ticket, told);
            case CallKey.Message message -> ifNever(message, told);
        };
    }

    private boolean ifNever(CallKey.Message message, Consumer<Failure> told) {
        Channel channel =
                new Channel(message.group(), message.step(), message.enclosure(), message.name(), message.tag());
        boolean isSender = message.source() == group.rank();
        int peer = isSender ? message.destination() : message.source();
        Failure never;
        synchronized (this) {
            if (isSender ? maySend(channel, peer) : mayReceive(channel, peer)) {
                return false;
            }
            never = whyNot(
                    message.step(),
                    "a further " + (isSender ? "send" : "receive") + ", peer=" + group.worldRank(peer) + ", tag="
                            + message.tag() + (message.name().isEmpty() ? "" : ", name=" + message.name()));
        }
        told.accept(never);
        return true;
    }

    private boolean ifNever(CallKey.Ticket call, Consumer<Failure> told) {
        Failure never;
        synchronized (this) {
            GroupStep step = known.get(call.step());
            if (isToCome(call.step()) || step != null && step.mayCome(call.name(), call.ticket())) {
                return false;
            }
            never = whyNot(call.step(), call.label());
        }
        told.accept(never);
        return true;
    }

    @Override
    public synchronized boolean maySend(Channel channel, int peer) {
        GroupStep step = known.get(channel.step());
        return isToCome(channel.step()) || step != null && step.maySend(channel.name(), channel.tag(), peer);
    }

    @Override
    public synchronized boolean mayReceive(Channel channel, int source) {
        GroupStep step = known.get(channel.step());
        return isToCome(channel.step()) || step != null && mayReceive(step, channel, source);
    }

    private static boolean mayReceive(GroupStep step, Channel channel, int source) {
        return step.mayReceive(channel.name(), channel.tag(), source)
                || step.mayReceive(channel.name(), channel.tag(), ProcessGroup.ANY);
    }

    /** {@return whether calls of a step may still be assembled} */
    private boolean isToCome(long step) {
        return step == CallKey.NO_STEP || step >= present;
    }

    @Override
    public synchronized Failure whyNot(long step, String what) {
        int rank = worldRank();
        String place = "rank " + rank + " is in scope " + present + " and ";
        String why = step > forgotten
                ? "did not make " + what + ": rank=" + rank + ", scope=" + step
                        + "; let all ranks make the same calls in each numbered scope"
                : "no longer knows whether it made " + what + ": rank=" + rank + ", scope=" + step + ", kept=" + KEPT
                        + "; let no rank be so many scopes behind the others";
        return new Failure(Failure.Kind.MISMATCH, rank, place + why);
    }

    @Override
    public synchronized boolean knows(long step) {
        return isToCome(step) || known.containsKey(step);
    }
}
