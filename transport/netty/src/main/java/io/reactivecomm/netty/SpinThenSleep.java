package io.reactivecomm.netty;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import io.reactivecomm.Waiting;
import io.reactivecomm.spi.PollingLoop.Poller;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * How an event loop waits: it keeps looking for a while, and sleeps only then. To wake a sleeping thread costs 20 to 30 µs, several times
 * what a small message needs.
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
    static final long SPIN_NANOS = 50_000;

    /** Looks at memory for each look at the sockets: together about as long as that takes. */
    private static final int LOOKS = 64;

    /** Turns that may pass without a look at the sockets while there is something else to do: some 10 µs of small messages. */
    private static final int TURNS = 32;

    /** How long a loop looks, and what between two looks. */
    private enum Patience {
        NONE,
        A_WHILE,
        A_WHILE_YIELDING,
        ENDLESS
    }

    private final LongSupplier clock;
    private final List<Poller> pollers = new ArrayList<>();
    private volatile Patience patience = Patience.NONE;
    private boolean idle;
    private boolean parked;
    private long idleSince;
    private int turnsWithoutSockets;

    SpinThenSleep(LongSupplier clock) {
        this.clock = clock;
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

    void add(Poller poller) {
        pollers.add(poller);
    }

    void remove(Poller poller) {
        pollers.remove(poller);
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        unpark();
        if (poll() || hasTasks) {
            idle = false;
            return sockets(selectNow);
        }
        if (!pollers.isEmpty() && patience != Patience.NONE && pollForAWhile()) {
            idle = false;
            return sockets(selectNow);
        }
        turnsWithoutSockets = 0;
        int ready = patience == Patience.NONE ? 0 : selectNow.get();
        if (ready > 0) {
            idle = false;
            return ready;
        }
        return isToSleep() && park() ? SELECT : CONTINUE;
    }

    /** {@return what a busy loop does about its sockets: nothing, most of the time, if there is memory to look at} */
    private int sockets(IntSupplier selectNow) throws Exception {
        if (!pollers.isEmpty() && ++turnsWithoutSockets < TURNS) {
            return CONTINUE;
        }
        turnsWithoutSockets = 0;
        return selectNow.get();
    }

    private boolean pollForAWhile() {
        for (int i = 0; i < LOOKS; i++) {
            if (poll()) {
                return true;
            }
        }
        return false;
    }

    private boolean poll() {
        boolean found = false;
        for (int i = 0; i < pollers.size(); i++) {
            found |= pollers.get(i).poll();
        }
        return found;
    }

    private boolean isToSleep() {
        return switch (patience) {
            case NONE -> true;
            case ENDLESS -> false;
            case A_WHILE -> isOver();
            case A_WHILE_YIELDING -> {
                Thread.yield();
                yield isOver();
            }
        };
    }

    private boolean isOver() {
        long now = clock.getAsLong();
        if (!idle) {
            idle = true;
            idleSince = now;
        }
        if (now - idleSince < SPIN_NANOS) {
            Thread.onSpinWait();
            return false;
        }
        idle = false;
        return true;
    }

    /** {@return whether the loop may sleep, because nothing has come for any poller} */
    private boolean park() {
        parked = true;
        boolean mayPark = true;
        for (int i = 0; i < pollers.size(); i++) {
            mayPark &= pollers.get(i).park();
        }
        if (!mayPark) {
            unpark();
        }
        return mayPark;
    }

    private void unpark() {
        if (parked) {
            parked = false;
            for (int i = 0; i < pollers.size(); i++) {
                pollers.get(i).unpark();
            }
        }
    }
}
