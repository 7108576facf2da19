package io.reactivecomm.netty.internal.connection;

import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.PollingLoop.Poller;
import io.reactivecomm.spi.WarningLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.slf4j.Logger;

/**
 * The memory that a loop looks at besides its sockets.
 *
 * <p>What is found there nearly always leads to one more task, the engine's turn. While nobody else's tasks wait, it runs as soon as the
 * pollers have been asked, without a way through Netty's queue and clock, which takes longer than the turn.
 *
 * <p><b>Threads.</b> The loop, but for {@link #call}, which any may call.
 */
final class PollSet {

    private static final Logger LOG = WarningLog.of(PollSet.class);

    private final FatalErrors fatalErrors;
    private final List<Poller> pollers = new ArrayList<>();
    private final Queue<Runnable> found = new ArrayDeque<>();
    private boolean takesTasks;
    /** A poller that failed once may fail at each further look. */
    private boolean pollerFailed;

    private boolean parked;
    private volatile boolean isCalled;

    /** @param fatalErrors notified of the errors of tasks and pollers */
    PollSet(FatalErrors fatalErrors) {
        this.fatalErrors = fatalErrors;
    }

    void add(Poller poller) {
        pollers.add(poller);
    }

    void remove(Poller poller) {
        pollers.remove(poller);
    }

    boolean isEmpty() {
        return pollers.isEmpty();
    }

    /** {@return whether a task that the loop's own thread gives is run after this look; otherwise it belongs in the loop's queue} */
    boolean takes(Runnable task) {
        return takesTasks && found.add(task);
    }

    /** Somebody has a task in the loop's queue: looking on and on would let it wait. */
    void call() {
        if (!isCalled) {
            isCalled = true;
        }
    }

    /** {@return whether somebody has called since this was last asked} */
    boolean wasCalled() {
        boolean was = isCalled;
        if (was) {
            isCalled = false;
        }
        return was;
    }

    /** Looks once, while tasks wait in the loop's queue: what comes of it waits behind them. {@return whether there was anything} */
    boolean lookBehindTasks() {
        isCalled = false;
        return lookAtAll();
    }

    private boolean lookAtAll() {
        boolean any = false;
        for (int i = 0; i < pollers.size(); i++) {
            any |= poll(pollers.get(i));
        }
        return any;
    }

    private boolean poll(Poller poller) {
        try {
            return poller.poll();
        } catch (Throwable e) {
            return isNews(e);
        }
    }

    /** Ends the worlds on the loop because a poller failed. {@return whether that was the first failure} */
    private boolean isNews(Throwable error) {
        boolean isFirst = !pollerFailed;
        pollerFailed = true;
        if (isFirst) {
            fatalErrors.tell(error, FatalErrors.NO_RANK);
            LOG.error("a poller of the loop failed; the loop runs on", WarningLog.printable(error));
        }
        return isFirst;
    }

    /** Looks once and does what comes of it. {@return whether there was anything} */
    boolean look() {
        takesTasks = true;
        try {
            return lookAtAll();
        } finally {
            // Whatever a poller does: what was taken is nobody else's to run.
            takesTasks = false;
            runAll();
        }
    }

    private void runAll() {
        for (Runnable task = found.poll(); task != null; task = found.poll()) {
            run(task);
        }
    }

    /** Runs a task of the loop. The worlds on the loop are notified of everything that it throws, including undeclared checked exceptions. */
    void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            // Notification first: there may be no memory to log.
            fatalErrors.tell(e, FatalErrors.NO_RANK);
            LOG.error("a task of the loop failed; the loop runs on", WarningLog.printable(e));
        }
    }

    /** {@return whether the loop may sleep, because nothing has come for any poller} */
    boolean park() {
        parked = true;
        boolean mayPark = true;
        for (int i = 0; i < pollers.size(); i++) {
            mayPark &= mayPark(pollers.get(i));
        }
        if (!mayPark) {
            unpark();
        }
        return mayPark;
    }

    /** Netty would take an exception of a poller for a fault of its selector, and sleep for a second. */
    private boolean mayPark(Poller poller) {
        try {
            return poller.park();
        } catch (Throwable e) {
            return !isNews(e);
        }
    }

    void unpark() {
        if (parked) {
            parked = false;
            for (int i = 0; i < pollers.size(); i++) {
                unpark(pollers.get(i));
            }
        }
    }

    private void unpark(Poller poller) {
        try {
            poller.unpark();
        } catch (Throwable e) {
            isNews(e);
        }
    }
}
