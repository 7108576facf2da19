package io.reactivecomm.netty.internal.connection;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import java.util.function.LongSupplier;

/**
 * The spin-then-park strategy of an event loop: it keeps looking for a while, then lets others run between two looks, and parks only after
 * that. To wake a sleeping thread costs 20 to 30 µs, several times what a small message needs.
 *
 * <p>Memory that pollers look at is a hundred times cheaper to look at than sockets, which need a system call. So the loop looks there
 * many times for each time that it asks for sockets, and asks for those again after so many turns however busy memory is.
 *
 * <p>Until it is told that there are cores to spare it sleeps at once.
 *
 * <p><b>Threads.</b> The loop, but for {@link #wait}, which any may call.
 */
public final class SpinThenPark implements SelectStrategy {

    /** Longer than the time between two messages of a call; short beside a time slice that another thread may wait for. */
    static final long SPINNING_NANOS = 50_000;

    /**
     * From the beginning to sleep, others being let on the core between two looks. A peer that is held up for longer than it takes to wake
     * one finds this side awake. Otherwise the two wake each other in turn, and each time the other has gone to sleep meanwhile.
     */
    static final long AWAKE_NANOS = 500_000;

    /** Looks at memory for each look at the sockets: together about as long as that takes. */
    private static final int LOOKS = 64;

    /** The same where others run in between, for as long as they like: sockets and timers wait meanwhile. */
    private static final int LOOKS_AMONG_OTHERS = 4;

    /**
     * Turns that may pass without a look at the sockets while there is something else to do: some 10 µs of small messages, or so many
     * yields.
     */
    private static final int TURNS = 32;

    /** The same in time, where there is much to do for each look: pieces of large tensors take a millisecond or two. */
    private static final long BUSY_NANOS = 5_000_000;

    /** The time for which a loop spins, and its behaviour between two looks. */
    private enum SpinPolicy {
        NONE,
        A_WHILE,
        A_WHILE_YIELDING,
        ENDLESS
    }

    private final PollSet pollSet;
    private final LongSupplier clock;
    private final Runnable yielding;
    private volatile SpinPolicy patience = SpinPolicy.NONE;
    private boolean idle;
    private long idleSince;
    private int turnsWithoutSockets;

    /** Since when there have been such turns, if there have. */
    private long withoutSocketsSince;

    /**
     * @param clock in nanoseconds
     * @param yielding lets other threads run on this one's core
     */
    SpinThenPark(PollSet pollSet, LongSupplier clock, Runnable yielding) {
        this.pollSet = pollSet;
        this.clock = clock;
        this.yielding = yielding;
    }

    /**
     * Says how to wait from now on.
     *
     * @param isCrowded whether the machine has more ranks than cores
     */
    void wait(Waiting waiting, boolean isCrowded) {
        patience = switch (waiting) {
            case SPIN -> SpinPolicy.ENDLESS;
            case PARK -> SpinPolicy.NONE;
            case ADAPTIVE -> isCrowded ? SpinPolicy.A_WHILE_YIELDING : SpinPolicy.A_WHILE;
        };
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        pollSet.unpark();
        if (hasTasks) {
            pollSet.lookBehindTasks();
            idle = false;
            return sockets(selectNow);
        }
        if (!pollSet.isEmpty() && isBusy()) {
            return sockets(selectNow);
        }
        turnsWithoutSockets = 0;
        int ready = patience == SpinPolicy.NONE ? 0 : selectNow.get();
        if (ready > 0) {
            idle = false;
            return ready;
        }
        return isToSleep() && pollSet.park() ? SELECT : CONTINUE;
    }

    /** {@return what a busy loop does about its sockets: nothing, most of the time, if there is memory to look at} */
    private int sockets(IntSupplier selectNow) throws Exception {
        if (!pollSet.isEmpty() && !isLongWithoutSockets() && ++turnsWithoutSockets < TURNS) {
            return CONTINUE;
        }
        turnsWithoutSockets = 0;
        return selectNow.get();
    }

    /** Looks at memory until that has been in vain for a while. {@return false then; true if sockets or tasks have waited for long} */
    private boolean isBusy() {
        int inVain = 0;
        while (inVain < looks() && turnsWithoutSockets < TURNS && !pollSet.wasCalled()) {
            if (pollSet.look()) {
                inVain = 0;
                idle = false;
                turnsWithoutSockets = isLongWithoutSockets() ? TURNS : turnsWithoutSockets + 1;
            } else {
                inVain++;
                letOthersRun();
            }
        }
        return inVain < looks();
    }

    /**
     * {@return whether much has been done since sockets were asked for, in however few turns; the first turn since then begins the time}
     */
    private boolean isLongWithoutSockets() {
        long now = clock.getAsLong();
        if (turnsWithoutSockets == 0) {
            withoutSocketsSince = now;
        }
        return now - withoutSocketsSince >= BUSY_NANOS;
    }

    private int looks() {
        return switch (patience) {
            case NONE -> 1;
            case A_WHILE_YIELDING -> LOOKS_AMONG_OTHERS;
            case A_WHILE, ENDLESS -> LOOKS;
        };
    }

    private void letOthersRun() {
        if (patience == SpinPolicy.A_WHILE_YIELDING) {
            turnsWithoutSockets++;
            yielding.run();
        }
    }

    private boolean isToSleep() {
        return switch (patience) {
            case NONE -> true;
            case ENDLESS -> false;
            case A_WHILE, A_WHILE_YIELDING -> isOver();
        };
    }

    private boolean isOver() {
        long now = clock.getAsLong();
        if (!idle) {
            idle = true;
            idleSince = now;
        }
        long idleFor = now - idleSince;
        if (idleFor >= AWAKE_NANOS) {
            idle = false;
            return true;
        }
        if (patience == SpinPolicy.A_WHILE && idleFor < SPINNING_NANOS) {
            Thread.onSpinWait();
        } else {
            yielding.run();
        }
        return false;
    }
}
