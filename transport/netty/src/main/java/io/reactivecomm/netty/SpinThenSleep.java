package io.reactivecomm.netty;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import java.util.function.LongSupplier;

/**
 * How an event loop waits: it keeps looking for a while, then lets others run between two looks, and sleeps only after that. To wake a
 * sleeping thread costs 20 to 30 µs, several times what a small message needs.
 *
 * <p>Memory that pollers look at is a hundred times cheaper to look at than sockets, which need a system call. So the loop looks there
 * many times for each time that it asks for sockets, and asks for those again after so many turns however busy memory is.
 *
 * <p>Until it is told that there are cores to spare it sleeps at once.
 *
 * <p><b>Threads.</b> The loop, but for {@link #wait}, which any may call.
 */
final class SpinThenSleep implements SelectStrategy {

    /** Longer than the time between two messages of a call; short beside a time slice that another thread may wait for. */
    static final long SPINNING_NANOS = 50_000;

    /**
     * From the beginning to sleep, others being let on the core between two looks. A peer that is held up for longer than it takes to wake
     * one finds this side awake: otherwise the two wake each other in turn, and each time the other has gone to sleep meanwhile.
     */
    static final long AWAKE_NANOS = 500_000;

    /** Looks at memory for each look at the sockets: together about as long as that takes. */
    private static final int LOOKS = 64;

    /** The same where others run in between, for as long as they like: sockets and timers wait meanwhile. */
    private static final int LOOKS_AMONG_OTHERS = 4;

    /** Turns that may pass without a look at the sockets while there is something else to do: some 10 µs of small messages, or so many yields. */
    private static final int TURNS = 32;

    /** How long a loop looks, and what between two looks. */
    private enum Patience {
        NONE,
        A_WHILE,
        A_WHILE_YIELDING,
        ENDLESS
    }

    private final Lookout lookout;
    private final LongSupplier clock;
    private final Runnable yielding;
    private volatile Patience patience = Patience.NONE;
    private boolean idle;
    private long idleSince;
    private int turnsWithoutSockets;

    /**
     * @param clock in nanoseconds
     * @param yielding lets other threads run on this one's core
     */
    SpinThenSleep(Lookout lookout, LongSupplier clock, Runnable yielding) {
        this.lookout = lookout;
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
            case SPIN -> Patience.ENDLESS;
            case PARK -> Patience.NONE;
            case ADAPTIVE -> isCrowded ? Patience.A_WHILE_YIELDING : Patience.A_WHILE;
        };
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        lookout.unpark();
        if (hasTasks) {
            lookout.lookBehindTasks();
            idle = false;
            return sockets(selectNow);
        }
        if (!lookout.isEmpty() && isBusy()) {
            return sockets(selectNow);
        }
        turnsWithoutSockets = 0;
        int ready = patience == Patience.NONE ? 0 : selectNow.get();
        if (ready > 0) {
            idle = false;
            return ready;
        }
        return isToSleep() && lookout.park() ? SELECT : CONTINUE;
    }

    /** {@return what a busy loop does about its sockets: nothing, most of the time, if there is memory to look at} */
    private int sockets(IntSupplier selectNow) throws Exception {
        if (!lookout.isEmpty() && ++turnsWithoutSockets < TURNS) {
            return CONTINUE;
        }
        turnsWithoutSockets = 0;
        return selectNow.get();
    }

    /** Looks at memory until that has been in vain for a while. {@return false then; true if sockets or tasks have waited for long} */
    private boolean isBusy() {
        int inVain = 0;
        while (inVain < looks() && turnsWithoutSockets < TURNS && !lookout.wasCalled()) {
            if (lookout.look()) {
                inVain = 0;
                idle = false;
                turnsWithoutSockets++;
            } else {
                inVain++;
                letOthersRun();
            }
        }
        return inVain < looks();
    }

    private int looks() {
        return switch (patience) {
            case NONE -> 1;
            case A_WHILE_YIELDING -> LOOKS_AMONG_OTHERS;
            case A_WHILE, ENDLESS -> LOOKS;
        };
    }

    private void letOthersRun() {
        if (patience == Patience.A_WHILE_YIELDING) {
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
        if (patience == Patience.A_WHILE && idleFor < SPINNING_NANOS) {
            Thread.onSpinWait();
        } else {
            yielding.run();
        }
        return false;
    }
}
