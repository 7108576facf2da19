package io.reactivecomm.internal.local;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.internal.group.Groups;
import io.reactivecomm.internal.live.WatchedWorld;
import io.reactivecomm.spi.BoardReader;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.link.Mesh;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A world of ranks in this JVM: at most one loop a core, a link between every two ranks. */
final class LocalRanks implements LocalWorld, WatchedWorld {

    /** Often enough to tell a second from more. */
    private static final long LOOK_MILLIS = 250;

    /** What a rank needs for each rank of the world, its link and what its engine knows of it; measured 1,650 among a thousand. */
    private static final int BYTES_FOR_EACH = 1600;

    /** The rank that failed has its cause; the others have only been told. */
    private static final Comparator<Throwable> BY_KNOWLEDGE = Comparator.comparing(error -> error.getCause() == null);

    private static final AtomicInteger WORLDS = new AtomicInteger();

    private final String worldId;
    private final List<LocalLoop> loops;
    private final List<ProcessGroup> groups = new ArrayList<>();
    private final AtomicInteger open;
    private final LocalBoard board;
    private final ScheduledExecutorService watch;

    private LocalRanks(int worldSize) {
        int world = WORLDS.getAndIncrement();
        // Ids of processes come again, but not in the same millisecond.
        worldId = "local-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.currentTimeMillis()) + "-"
                + world;
        int threads = Math.min(worldSize, Runtime.getRuntime().availableProcessors());
        loops = IntStream.range(0, threads)
                .mapToObj(i -> new LocalLoop("rcomm-local-" + world + "-" + i))
                .toList();
        open = new AtomicInteger(worldSize);
        board = new LocalBoard(worldSize);
        watch = Executors.newSingleThreadScheduledExecutor(task ->
                Thread.ofPlatform().daemon().name("rcomm-watch-" + world).unstarted(task));
        for (LocalLoop loop : loops) {
            LoopWatchdog watchdog = new LoopWatchdog(loop);
            watch.scheduleAtFixedRate(
                    () -> watchdog.look(System.nanoTime()), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * {@return a new world}
     *
     * @param settings what it says of calls
     * @throws IllegalArgumentException if {@code worldSize} is below 1
     */
    static LocalRanks of(int worldSize, CommConfig settings) {
        if (worldSize < 1) {
            throw new IllegalArgumentException(
                    "a local world needs a rank: worldSize=" + worldSize + "; ask for at least 1");
        }
        requireHeap(worldSize, Runtime.getRuntime().maxMemory());
        LocalRanks ranks = new LocalRanks(worldSize);
        List<Mono<ProcessGroup>> joining = new ArrayList<>();
        // A place on a host would be every rank's.
        CommConfig ofRank = settings.withHostId(settings.hostId());
        ranks.meshes(worldSize).forEach(mesh -> joining.add(Groups.world(mesh, ofRank)));
        ranks.join(joining);
        return ranks;
    }

    /** Before anything is made: what runs out of memory on the way takes other worlds of this JVM with it. */
    static void requireHeap(int worldSize, long heapBytes) {
        long most = (long) Math.sqrt((double) heapBytes / BYTES_FOR_EACH);
        if (worldSize > most) {
            throw new RendezvousException("a local world is larger than the heap can hold: worldSize=" + worldSize
                    + ", most=" + most + ", heap=" + heapBytes + " bytes; raise it (-Xmx), or start fewer ranks");
        }
    }

    /** Joins all at once: engines beside the one over links are opened together. Without any, nothing is waited for. Where one fails, all are left. */
    private void join(List<Mono<ProcessGroup>> joining) {
        try {
            groups.addAll(Flux.mergeSequentialDelayError(joining, joining.size(), 1)
                    .collectList()
                    // Of what is above here: a list that fails gives up what it has.
                    .doOnDiscard(ProcessGroup.class, ProcessGroup::close)
                    .toFuture()
                    .join());
        } catch (CompletionException e) {
            List<Throwable> causes = Exceptions.unwrapMultiple(e.getCause());
            throw Exceptions.propagate(causes.stream().min(BY_KNOWLEDGE).orElse(e));
        }
    }

    private List<Mesh> meshes(int worldSize) {
        @Nullable LocalLink[][] links = new @Nullable LocalLink[worldSize][worldSize];
        for (int rank = 0; rank < worldSize; rank++) {
            for (int peer = 0; peer < rank; peer++) {
                List<LocalLink> ends = LocalLink.pair(rank, loop(rank), peer, loop(peer));
                links[rank][peer] = ends.get(0);
                links[peer][rank] = ends.get(1);
            }
        }
        List<Mesh> meshes = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            LiveBoard side = board.ofRank(rank);
            meshes.add(new LocalMesh(rank, worldId, loop(rank), links[rank], side, () -> rankClosed(side)));
        }
        return meshes;
    }

    private LocalLoop loop(int rank) {
        return loops.get(rank % loops.size());
    }

    private void rankClosed(LiveBoard side) {
        board.left(side);
        if (open.decrementAndGet() == 0) {
            watch.shutdownNow();
            watch.close();
            loops.forEach(LocalLoop::end);
        }
    }

    /** {@return where its ranks tell how they do} */
    LocalBoard told() {
        return board;
    }

    @Override
    public BoardReader board() {
        return board.reader();
    }

    @Override
    public List<ProcessGroup> groups() {
        return List.copyOf(groups);
    }

    @Override
    public void close() {
        Closings closings = new Closings();
        groups.forEach(group -> closings.close("rank=" + group.rank(), group::close));
        closings.end();
    }
}
