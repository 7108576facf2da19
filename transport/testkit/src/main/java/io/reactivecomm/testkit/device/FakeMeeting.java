package io.reactivecomm.testkit.device;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EnqueuedHandle;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Turn;
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

/**
 * The meeting of the fake devices of a world's ranks: a call is performed once all members of its group have enqueued it, and what was enqueued before on
 * its tensors is done. Each world has one of its own, which ranks find by the world's name.
 *
 * <p><b>Threads.</b> Any; one lock, under which nobody is told anything.
 */
final class FakeMeeting {

    /** By world, until all its ranks have left. */
    private static final Map<String, FakeMeeting> OPEN = new ConcurrentHashMap<>();

    private final String world;
    private final int size;
    private final Map<CallKey, List<Share>> waiting = new LinkedHashMap<>();
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

    /**
     * One rank's share of a call.
     *
     * @param ready completes when what was enqueued on its tensors before is done
     * @param done lets go on what was enqueued on them since
     * @param handle of a call that is enqueued
     */
    private record Share(int rank, Turn.Call turn, CompletableFuture<?> ready, CompletableFuture<Void> done, EnqueuedHandle handle) {

        static Share of(int rank, Turn.Call turn) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            return new Share(rank, turn, FakeHeap.JVM.enqueue(turn.call().collective().tensors(), done), done, new EnqueuedHandle());
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

        private void failed(Failure cause) {
            if (isEnqueued()) {
                handle.letGo();
                handle.failed(cause.toException());
                done.completeExceptionally(cause.toException());
            } else {
                done.complete(null);
                turn.sink().failed(cause);
            }
        }
    }

    void take(int rank, Turn.Call turn) {
        List<Share> whole = List.of();
        Share share = Share.of(rank, turn);
        synchronized (this) {
            List<Share> shares = waiting.computeIfAbsent(turn.call().key(), ignored -> new ArrayList<>());
            shares.add(share);
            if (shares.size() == turn.call().group().worldRanks().size()) {
                waiting.remove(turn.call().key());
                whole = inRankOrder(shares);
            }
        }
        share.enqueued();
        if (!whole.isEmpty()) {
            List<Share> all = whole;
            CompletableFuture.allOf(all.stream().map(Share::ready).toArray(CompletableFuture[]::new))
                    .thenRunAsync(() -> perform(all), FakeThread.KERNELS);
        }
    }

    private static List<Share> inRankOrder(List<Share> shares) {
        return shares.stream().sorted(Comparator.comparing(share -> share.turn.call().group().rank())).toList();
    }

    private static void perform(List<Share> shares) {
        try {
            FakeKernels.perform(shares.stream().map(share -> share.turn.call().collective()).toList());
        } catch (RuntimeException | Error e) {
            shares.forEach(share -> share.failed(new Failure(Failure.Kind.INTERNAL, share.rank, "a fake device failed: cause=" + e)));
            return;
        }
        shares.forEach(Share::succeeded);
    }

    /** Ends those of a rank's turns that wait for others. */
    void stop(int rank, Predicate<Turn.Call> which, Failure cause) {
        List<Share> stopped = new ArrayList<>();
        synchronized (this) {
            waiting.values().forEach(shares -> shares.removeIf(share -> share.rank == rank && which.test(share.turn) && stopped.add(share)));
            waiting.values().removeIf(List::isEmpty);
        }
        stopped.forEach(share -> share.failed(cause));
    }

    synchronized void leave(int rank) {
        left.add(rank);
        if (left.size() == size) {
            OPEN.remove(world);
        }
    }
}
