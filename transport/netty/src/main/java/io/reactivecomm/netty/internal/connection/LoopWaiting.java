package io.reactivecomm.netty.internal.connection;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import io.reactivecomm.spi.WaitPolicy;
import java.util.function.LongSupplier;

/**
 * The order in which an event loop looks at memory and at sockets, and its waits between two looks, which {@link WaitPolicy} decides.
 *
 * <p>A look at the memory of pollers costs a hundredth of a look at sockets, which is a system call. So the loop looks at memory many times for each time
 * that it asks for sockets, and asks for those again after so many turns however busy memory is.
 *
 * <p>Until {@link #wait} is called it sleeps at once.
 *
 * <p><b>Threads.</b> The loop, but for {@link #wait}, which any may call.
 */
public final class LoopWaiting implements SelectStrategy {

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

    private final PollSet pollSet;
    private final LongSupplier clock;
    private final Runnable yielding;
    private volatile Waiting waiting = Waiting.PARK;
    private volatile WaitPolicy policy = new WaitPolicy(true, WaitPolicy.AWAKE_NANOS);
    /** Whether to let others run after each look in vain, since there are more ranks than cores. */
    private volatile boolean isCrowded = true;

    private int turnsWithoutSockets;

    /** Since when there have been such turns, if there have. */
    private long withoutSocketsSince;

    /**
     * @param clock in nanoseconds
     * @param yielding lets other threads run on this one's core
     */
    LoopWaiting(PollSet pollSet, LongSupplier clock, Runnable yielding) {
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
        this.isCrowded = isCrowded;
        policy = new WaitPolicy(isCrowded, WaitPolicy.AWAKE_NANOS);
        this.waiting = waiting;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        pollSet.unpark();
        if (hasTasks) {
            pollSet.lookBehindTasks();
            policy.found();
            return sockets(selectNow);
        }
        if (!pollSet.isEmpty() && isBusy()) {
            return sockets(selectNow);
        }
        turnsWithoutSockets = 0;
        int ready = waiting == Waiting.PARK ? 0 : selectNow.get();
        if (ready > 0) {
            policy.found();
            return ready;
        }
        if (isToSleep() && pollSet.park()) {
            policy.found();
            return SELECT;
        }
        return CONTINUE;
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
                policy.found();
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
        return switch (waiting) {
            case PARK -> 1;
            case SPIN -> LOOKS;
            case ADAPTIVE -> isCrowded ? LOOKS_AMONG_OTHERS : LOOKS;
        };
    }

    private void letOthersRun() {
        if (isCrowded && waiting == Waiting.ADAPTIVE && policy.next(clock.getAsLong()) == WaitPolicy.Step.YIELD) {
            turnsWithoutSockets++;
            yieldOnce();
        }
    }

    private boolean isToSleep() {
        return switch (waiting) {
            case PARK -> true;
            case SPIN -> false;
            case ADAPTIVE -> isOver();
        };
    }

    private boolean isOver() {
        return switch (policy.next(clock.getAsLong())) {
            case SLEEP -> true;
            case SPIN -> {
                Thread.onSpinWait();
                yield false;
            }
            case YIELD -> {
                yieldOnce();
                yield false;
            }
        };
    }

    private void yieldOnce() {
        yielding.run();
        policy.yielded(clock.getAsLong());
    }
}
