package io.reactivecomm.testkit.device;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import io.reactivecomm.spi.engine.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The meeting of the fake devices of a world's ranks: a call is performed once all members of its group have enqueued it, and what was enqueued before on
 * its tensors is done. A call that is stopped never gets a result, as one that NCCL aborts. Each world has one of its own, which ranks find by the world's
 * name.
 *
 * <p><b>Threads.</b> Any; one lock, under which nobody is told anything.
 */
final class FakeMeeting {

    /** By world, until all its ranks have left. */
    private static final Map<String, FakeMeeting> OPEN = new ConcurrentHashMap<>();

    private final String world;
    private final int size;
    /** Calls that not all members have enqueued. */
    private final Map<CallKey, List<Share>> waiting = new LinkedHashMap<>();
    /** Calls that all have: they wait for the device, or it is at them. */
    private final List<List<Share>> running = new ArrayList<>();

    private final Set<Integer> left = new HashSet<>();

    private FakeMeeting(String world, int size) {
        this.world = world;
        this.size = size;
    }

    static FakeMeeting of(String world, int size) {
        return OPEN.computeIfAbsent(world, name -> new FakeMeeting(name, size));
    }

    /** {@return worlds that some rank has not left} */
    static Set<String> open() {
        return Set.copyOf(OPEN.keySet());
    }

    /** One rank's share of a call. What changes is guarded by the meeting's lock. */
    private static final class Share {

        private final int rank;
        private final Turn.Call turn;
        /** Lets go on what is enqueued on its tensors after it. */
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        /** Completes when what was enqueued on its tensors before is done. */
        private final CompletableFuture<?> ready;
        /** Of a call that is enqueued, and the hands of one that is stopped. */
        private final EnqueuedHandle handle = new EnqueuedHandle();

        private boolean isAtWork;
        private boolean isStopped;

        Share(int rank, Turn.Call turn) {
            this.rank = rank;
            this.turn = turn;
            this.ready = FakeHeap.JVM.enqueue(turn.call().collective().tensors(), done);
        }

        private boolean isEnqueued() {
            return turn.call().isEnqueued();
        }

        /** What is enqueued on the tensors from here on waits for it. */
        private void enqueued() {
            if (isEnqueued()) {
                turn.sink().succeeded(Completion.of("fake").withHandle(handle));
            }
        }

        private void succeeded() {
            handle.succeeded();
            done.complete(null);
            if (!isEnqueued()) {
                turn.sink().succeeded(Completion.of("fake"));
            }
        }

        private void letGo() {
            handle.letGo();
            done.complete(null);
        }

        private void failed(Failure cause) {
            if (isEnqueued()) {
                handle.failed(cause.toException());
            } else {
                turn.sink().failed(cause, handle);
            }
        }
    }

    void take(int rank, Turn.Call turn) {
        List<Share> whole = List.of();
        Share share = new Share(rank, turn);
        synchronized (this) {
            List<Share> shares = waiting.computeIfAbsent(turn.call().key(), ignored -> new ArrayList<>());
            shares.add(share);
            if (shares.size() == turn.call().group().worldRanks().size()) {
                waiting.remove(turn.call().key());
                whole = inRankOrder(shares);
                running.add(whole);
            }
        }
        share.enqueued();
        if (!whole.isEmpty()) {
            List<Share> all = whole;
            CompletableFuture.allOf(all.stream().map(each -> each.ready).toArray(CompletableFuture[]::new))
                    .thenRunAsync(() -> perform(all), FakeThread.KERNELS);
        }
    }

    private static List<Share> inRankOrder(List<Share> shares) {
        return shares.stream()
                .sorted(Comparator.comparing(share -> share.turn.call().group().rank()))
                .toList();
    }

    private void perform(List<Share> shares) {
        if (!begin(shares)) {
            return;
        }
        Throwable thrown = null;
        try {
            FakeKernels.perform(
                    shares.stream().map(share -> share.turn.call().collective()).toList());
        } catch (RuntimeException | Error e) {
            thrown = e;
        }
        List<Share> good = end(shares);
        for (Share share : shares) {
            if (!good.contains(share)) {
                share.letGo();
            } else if (thrown == null) {
                share.succeeded();
            } else {
                share.letGo();
                share.failed(new Failure(Failure.Kind.INTERNAL, share.rank, "a fake device failed: cause=" + thrown));
            }
        }
    }

    /** {@return whether the device is at a call now; a rank that was stopped does not do its part in it, so that nobody gets a result} */
    private synchronized boolean begin(List<Share> shares) {
        boolean isWhole = shares.stream().noneMatch(share -> share.isStopped);
        shares.forEach(share -> share.isAtWork = isWhole);
        return isWhole;
    }

    /** {@return the shares that were not stopped meanwhile} */
    private synchronized List<Share> end(List<Share> shares) {
        running.remove(shares);
        return shares.stream().filter(share -> !share.isStopped).toList();
    }

    /** Ends those of a rank's turns, whether they wait for others or for the device, or it is at them; then it lets go when it is through. */
    void stop(int rank, Predicate<Turn.Call> which, Failure cause) {
        List<Share> stopped = new ArrayList<>();
        List<Share> idle = new ArrayList<>();
        synchronized (this) {
            Stream.concat(waiting.values().stream(), running.stream())
                    .flatMap(List::stream)
                    .filter(share -> share.rank == rank && !share.isStopped && which.test(share.turn))
                    .forEach(stopped::add);
            stopped.forEach(share -> share.isStopped = true);
            stopped.stream().filter(share -> !share.isAtWork).forEach(idle::add);
            waiting.values().forEach(shares -> shares.removeAll(stopped));
            waiting.values().removeIf(List::isEmpty);
            running.removeIf(shares -> shares.stream().allMatch(share -> share.isStopped && !share.isAtWork));
        }
        idle.forEach(Share::letGo);
        stopped.forEach(share -> share.failed(cause));
    }

    synchronized void leave(int rank) {
        left.add(rank);
        if (left.size() == size) {
            OPEN.remove(world);
        }
    }
}
