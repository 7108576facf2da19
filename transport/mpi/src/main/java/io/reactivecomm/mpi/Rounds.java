package io.reactivecomm.mpi;

import io.reactivecomm.spi.EnginePoll;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The small calls of a rank: begun in their non-blocking form, in the order of their turns, and looked at in rounds until they have ended.
 *
 * <p>A round takes some ten microseconds: it begins a few calls, and looks at a few. What MPI does meanwhile for large calls it would do in a round as well,
 * for milliseconds; so while the {@link Worker} has one, rounds are {@link Aside}, and none on the loop.
 *
 * <p><b>Threads.</b> {@link #add} from any; a round on one at a time.
 */
final class Rounds {

    /** Calls that a round begins, and looks at, at most. */
    private static final int MOST = 16;

    private final MpiProcess process;
    private final Preparation preparation;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment flag = arena.allocate(ValueLayout.JAVA_INT);
    private final Queue<Running> waiting = new ConcurrentLinkedQueue<>();
    private final ReentrantLock round = new ReentrantLock();
    // All guarded by the round.
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final List<Pending> lost = new ArrayList<>();
    private final List<MemorySegment> freeRequests = new ArrayList<>();
    private volatile int underWay;

    /** Makes plans. */
    interface Preparation {

        Plan plan(Running running);
    }

    /** A call that MPI has. @param requests those that have not ended */
    private record Pending(Running running, Plan plan, List<MemorySegment> requests) {}

    Rounds(MpiProcess process, Preparation preparation) {
        this.process = process;
        this.preparation = preparation;
    }

    void add(Running running) {
        waiting.add(running);
    }

    /** {@return whether anything is waiting or under way} */
    boolean hasAny() {
        return underWay > 0 || !waiting.isEmpty();
    }

    /** Tells all that have not ended of something; they are as they were. */
    void forEach(Predicate<Running> which, Consumer<Running> told) {
        List<Running> all = new ArrayList<>(waiting);
        round.lock();
        try {
            pending.forEach(each -> all.add(each.running));
        } finally {
            round.unlock();
        }
        all.stream().filter(which).forEach(told);
    }

    /** {@return what a round has found; nothing if another thread is at one, and no more where nobody waits for what MPI keeps} */
    EnginePoll.Found look() {
        if (!round.tryLock()) {
            return EnginePoll.Found.NOTHING;
        }
        try {
            boolean hasBegun = beginSome();
            boolean hasEnded = lookAtSome();
            if (hasAny() && (hasBegun || hasEnded)) {
                return EnginePoll.Found.SOMETHING;
            }
            return isAwaited() ? EnginePoll.Found.NOTHING : EnginePoll.Found.NO_MORE;
        } finally {
            round.unlock();
        }
    }

    private boolean isAwaited() {
        for (Pending each : pending) {
            if (!each.running.isEnded()) {
                return true;
            }
        }
        return !waiting.isEmpty();
    }

    private boolean beginSome() {
        int begun = 0;
        for (Running next = waiting.peek(); next != null && begun < MOST; next = waiting.peek()) {
            underWay++;
            waiting.remove();
            if (next.begin()) {
                begin(next);
                begun++;
            }
            underWay = pending.size();
        }
        return begun > 0;
    }

    private void begin(Running running) {
        Plan plan;
        try {
            plan = preparation.plan(running);
        } catch (RuntimeException | Error e) {
            running.failed(Faults.of(running, e));
            return;
        }
        Pending fresh = new Pending(running, plan, new ArrayList<>());
        try {
            for (Step step : plan.collectives()) {
                begin(step, running.comms().polled(), fresh.requests);
            }
            for (Step step : plan.messages()) {
                begin(step, running.comms().polled(), fresh.requests);
            }
            pending.add(fresh);
        } catch (RuntimeException | Error e) {
            failed(fresh, e);
        }
    }

    private void begin(Step step, long comm, List<MemorySegment> requests) {
        MemorySegment request = freeRequests.isEmpty() ? arena.allocate(ValueLayout.JAVA_LONG) : freeRequests.removeLast();
        request.set(ValueLayout.JAVA_LONG, 0, 0);
        step.begin(comm, request.address());
        requests.add(request);
    }

    /** What MPI has of it goes on, and nobody knows when it ends. */
    private void failed(Pending each, Throwable cause) {
        Failure failure = Faults.of(each.running, cause);
        if (each.requests.isEmpty()) {
            each.plan.free();
            each.running.failed(failure);
        } else {
            lost.add(each);
            process.keep(this);
            each.running.abandon(failure);
        }
    }

    private boolean lookAtSome() {
        boolean hasEnded = false;
        int looks = Math.min(MOST, pending.size());
        for (int i = 0; i < looks; i++) {
            Pending each = pending.remove();
            if (isOver(each)) {
                hasEnded = true;
            } else {
                pending.add(each);
            }
        }
        underWay = pending.size();
        return hasEnded;
    }

    /** {@return whether it is: then whoever waits for it has been told} */
    private boolean isOver(Pending each) {
        try {
            Iterator<MemorySegment> requests = each.requests.iterator();
            while (requests.hasNext()) {
                MemorySegment request = requests.next();
                if (!process.setup().isDone(request.address(), flag)) {
                    return false;
                }
                requests.remove();
                freeRequests.add(request);
            }
            if (!each.running.isEnded()) {
                each.plan.finish();
            }
        } catch (RuntimeException | Error e) {
            failed(each, e);
            return true;
        }
        each.plan.free();
        each.running.succeed("non-blocking");
        return true;
    }

    /** Frees the memory of what MPI has not let go of, once there is no MPI any more. */
    void free() {
        round.lock();
        try {
            pending.forEach(each -> each.plan.free());
            lost.forEach(each -> each.plan.free());
        } finally {
            round.unlock();
        }
    }
}
