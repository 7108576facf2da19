package io.reactivecomm.mpi;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EnginePoll;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The small calls of a rank: begun in their non-blocking form, in the order of their turns, and looked at in rounds until they have ended.
 *
 * <pre>
 *   add ──&gt; waiting ── begun ──&gt; pending ──┬─ MPI is done ──────────────────────────────&gt; told
 *                                          └─ nobody waits any more ──&gt; left over ── MPI is done ──&gt; let go
 * </pre>
 *
 * <p>A round takes some microseconds: it begins a few calls, and looks at a few. What MPI does meanwhile for large calls it would do in a round as well,
 * for milliseconds; so while the {@link Worker} has one, rounds are {@link Aside}, and none on the loop.
 *
 * <p><b>Threads.</b> {@link #add} and {@link #leave} from any; a round on one at a time.
 */
final class SmallCalls {

    /**
     * Calls that MPI has at once, at most: whatever it is asked about one of them, it may go on with all, and 16 KiB take it some microseconds. All ranks
     * begin what they have in common in one order, so the first that has not ended anywhere is begun by all its ranks.
     */
    private static final int MOST = 32;

    /** After so long a round begins nothing more, and looks at nothing more: it is to hold the loop for 50 µs at most. */
    private static final long LONG_NANOS = 20_000;

    private final MpiProcess process;
    private final Function<Running, Plan> plans;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment flag = arena.allocate(ValueLayout.JAVA_INT);
    private final Queue<Running> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<Pending> leaving = new ConcurrentLinkedQueue<>();
    private final ReentrantLock round = new ReentrantLock();
    // All guarded by the round.
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** What nobody waits for: it is looked at in its own time, and holds up nothing. */
    private final ArrayDeque<Pending> leftOver = new ArrayDeque<>();
    /** Of what MPI has failed in part, and has the rest. */
    private final List<Pending> lost = new ArrayList<>();

    private final List<MemorySegment> freeRequests = new ArrayList<>();
    private volatile int underWay;
    private volatile int left;

    /** @param plans makes the plan of a call */
    SmallCalls(MpiProcess process, Function<Running, Plan> plans) {
        this.process = process;
        this.plans = plans;
    }

    void add(Running running) {
        waiting.add(running);
    }

    /** Takes a request that nobody waits for. */
    void leave(MemorySegment request) {
        leaving.add(new Pending(null, new ArrayList<>(List.of(request))));
    }

    /** {@return whether anything is waiting or under way that somebody waits for} */
    boolean hasAny() {
        return underWay > 0 || !waiting.isEmpty();
    }

    /** {@return whether MPI has anything that nobody waits for} */
    boolean hasLeftOver() {
        return left > 0 || !leaving.isEmpty();
    }

    /** {@return whether MPI has anything, or is to have it} */
    boolean holdsAny() {
        return hasAny() || hasLeftOver();
    }

    /** {@return what a round has found; nothing if another thread is at one} */
    EnginePoll.Found look() {
        if (!round.tryLock()) {
            return EnginePoll.Found.NOTHING;
        }
        try {
            boolean hasBegun = beginSome();
            boolean hasEnded = lookAtSome(pending);
            underWay = pending.size();
            if (!hasAny()) {
                return EnginePoll.Found.NO_MORE;
            }
            return hasBegun || hasEnded ? EnginePoll.Found.SOMETHING : EnginePoll.Found.NOTHING;
        } finally {
            round.unlock();
        }
    }

    /** As {@link #look}, at what nobody waits for. */
    void lookAtLeftOver() {
        if (round.tryLock()) {
            try {
                for (Pending next = leaving.poll(); next != null; next = leaving.poll()) {
                    leftOver.add(next);
                }
                lookAtSome(leftOver);
                left = leftOver.size();
            } finally {
                round.unlock();
            }
        }
    }

    private boolean beginSome() {
        boolean hasBegun = false;
        long from = System.nanoTime();
        for (Running next = waiting.peek();
                next != null && pending.size() < MOST && isShort(from) && next.isReady();
                next = waiting.peek()) {
            underWay++;
            waiting.remove();
            if (next.begin()) {
                begin(next);
                hasBegun = true;
            }
            underWay = pending.size();
        }
        return hasBegun;
    }

    private static boolean isShort(long from) {
        return System.nanoTime() - from < LONG_NANOS;
    }

    private void begin(Running running) {
        Plan plan;
        try {
            running.ready().requireWell();
            plan = plans.apply(running);
        } catch (RuntimeException | Error e) {
            running.failed(MpiFailures.of(running, e));
            return;
        }
        Pending fresh = new Pending(new Pending.Begun(running, plan), new ArrayList<>());
        try {
            plan.collectives().forEach(step -> begin(step, running.comms().polled(), fresh.requests()));
            plan.messages().forEach(step -> begin(step, running.comms().polled(), fresh.requests()));
            pending.add(fresh);
        } catch (RuntimeException | Error e) {
            failed(fresh, e);
        }
    }

    private void begin(ReadyCall step, long comm, List<MemorySegment> requests) {
        MemorySegment request =
                freeRequests.isEmpty() ? arena.allocate(ValueLayout.JAVA_LONG) : freeRequests.removeLast();
        request.set(ValueLayout.JAVA_LONG, 0, 0);
        step.begin(comm, request.address());
        requests.add(request);
    }

    /** {@return whether anything has ended} What nobody waits for any more is put with what is left over. */
    private boolean lookAtSome(ArrayDeque<Pending> from) {
        boolean hasEnded = false;
        long begun = System.nanoTime();
        for (int looks = Math.min(MOST, from.size()); looks > 0 && isShort(begun); looks--) {
            Pending each = from.remove();
            if (isOver(each)) {
                hasEnded = true;
            } else if (each.isAwaited()) {
                from.add(each);
            } else {
                leftOver.add(each);
                left = leftOver.size();
            }
        }
        return hasEnded;
    }

    private boolean isOver(Pending each) {
        try {
            if (!each.isDone(process.setup(), flag, freeRequests::add)) {
                return false;
            }
            each.end();
        } catch (RuntimeException | Error e) {
            failed(each, e);
        }
        return true;
    }

    /** What MPI has of it goes on, and nobody knows when it ends. */
    private void failed(Pending each, Throwable cause) {
        boolean isHeld = !each.requests().isEmpty();
        if (isHeld) {
            lost.add(each);
            process.keep(this);
        } else {
            each.free();
        }
        Pending.Begun of = each.of();
        if (of != null) {
            Failure failure = MpiFailures.of(of.running(), cause);
            if (isHeld) {
                of.running().abandon(failure);
            } else {
                of.running().failed(failure);
            }
        }
    }

    /** Frees the memory of what MPI has not let go of, once there is no MPI any more. */
    void free() {
        round.lock();
        try {
            pending.forEach(Pending::free);
            leftOver.forEach(Pending::free);
            lost.forEach(Pending::free);
        } finally {
            round.unlock();
        }
    }
}
