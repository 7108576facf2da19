package io.reactivecomm.mpi;

import io.reactivecomm.CommException;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.spi.WarningLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.scheduler.Schedulers;

/**
 * MPI in this process: begun once, for one world, and ended with it. Its first thread begins and ends it, as MPI wants.
 *
 * <p><b>Threads.</b> Any.
 */
final class MpiProcess {

    private static final Logger LOG = WarningLog.of(MpiProcess.class);

    /** How long the end of the process waits for MPI's. */
    private static final long END_SECONDS = 2;

    /** There is one in a process: MPI begins and ends once. */
    private static @Nullable MpiProcess only;

    private final MpiLibrary library;
    private final MpiSetup setup;
    private final MpiCalls calls;
    private final Worker worker;
    /** How many processes the launcher says that there are; 0 if it says nothing. */
    private final int launched;

    private final CompletableFuture<Place> place = new CompletableFuture<>();
    private final Set<Object> kept = ConcurrentHashMap.newKeySet();

    private boolean hasWorld;
    private volatile boolean hasEnded;

    /** The place of this process among those that MPI has started. */
    record Place(int rank, int size) {}

    private MpiProcess(MpiLibrary library, int launched) {
        this.library = library;
        this.launched = launched;
        this.setup = new MpiSetup(library);
        this.calls = new MpiCalls(library, setup);
        // A library that lacks something has been found out by now, and leaves no thread.
        this.worker = new Worker("rcomm-mpi");
    }

    /**
     * {@return this process's}
     *
     * @throws UnsupportedCollectiveException if there is no MPI
     */
    static synchronized MpiProcess get(Map<String, String> environment) {
        MpiProcess known = only;
        if (known == null) {
            known = of(MpiLibrary.open(environment), environment);
            only = known;
        }
        return known;
    }

    /** {@return one of its own, of a library that stands for a process: tests have several in one} */
    static MpiProcess of(MpiLibrary library) {
        return of(library, Map.of());
    }

    /** As the other, started by a launcher that says so. */
    static MpiProcess of(MpiLibrary library, Map<String, String> environment) {
        return new MpiProcess(library, launched(environment));
    }

    private static int launched(Map<String, String> environment) {
        String size = environment
                .getOrDefault("OMPI_COMM_WORLD_SIZE", environment.getOrDefault("PMI_SIZE", ""))
                .strip();
        return size.matches("\\d{1,9}") ? Integer.parseInt(size) : 0;
    }

    /** {@return where it stands, once MPI has begun, which waits for all processes} */
    CompletableFuture<Place> begin() {
        if (hasEnded) {
            return CompletableFuture.failedFuture(ended());
        }
        worker.add(() -> {
            if (place.isDone()) {
                return;
            }
            try {
                place.complete(begun());
            } catch (RuntimeException | Error e) {
                place.completeExceptionally(e);
            }
        });
        return place;
    }

    private Place begun() {
        if (setup.isFinalized()) {
            throw ended();
        }
        if (!setup.begin()) {
            throw new UnsupportedCollectiveException(
                    "MPI takes calls of one thread only: library=" + library.name() + ", version=" + setup.version()
                            + "; install one with MPI_THREAD_MULTIPLE, and let nobody begin it without");
        }
        Place found = new Place(setup.rank(setup.world()), setup.size(setup.world()));
        if (launched > 1 && found.size != launched) {
            throw new UnsupportedCollectiveException(
                    "a library of MPI does not know the launcher that has started this process: library="
                            + library.name()
                            + ", dialect=" + library.dialect().label() + ", processes=" + found.size + ", launched="
                            + launched + "; use the launcher of that library, or name"
                            + " the launcher's library by " + MpiLibrary.VARIABLE);
        }
        LOG.info(
                "MPI has begun: library={}, dialect={}, version={}, rank={}, size={}",
                library.name(),
                library.dialect().label(),
                setup.version(),
                found.rank,
                found.size);
        return found;
    }

    private UnsupportedCollectiveException ended() {
        return new UnsupportedCollectiveException("MPI has ended in this process, and cannot begin again: library="
                + library.name() + "; join one world with it in each process");
    }

    /** Takes it for a world. @throws UnsupportedCollectiveException if another one has it */
    synchronized void take() {
        if (hasWorld) {
            throw new UnsupportedCollectiveException(
                    "a second world of this process cannot have MPI, which has one rank in each process and ends with its world:"
                            + " library=" + library.name()
                            + "; start a process for each rank with mpirun, and join one world there; ranks of ReactiveComm.local"
                            + " need no MPI");
        }
        hasWorld = true;
    }

    /** The world that had taken it was not opened: it may be tried again. */
    synchronized void giveBack() {
        hasWorld = false;
    }

    MpiLibrary library() {
        return library;
    }

    MpiSetup setup() {
        return setup;
    }

    MpiCalls calls() {
        return calls;
    }

    Worker worker() {
        return worker;
    }

    /** Keeps, as long as the process, what holds memory that MPI may still write to: nobody else may have it, and MPI may not be ended any more. */
    void keep(Object holder) {
        kept.add(holder);
    }

    /** {@return all that is kept} */
    Set<Object> kept() {
        return Set.copyOf(kept);
    }

    /** {@return the result of something that may block, made on MPI's thread} */
    <T> CompletableFuture<T> call(Supplier<T> work) {
        if (hasEnded) {
            return CompletableFuture.failedFuture(ended());
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        worker.add(() -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** {@return the communicators of a group} Blocks until all members do so. @param processes its members, as MPI counts them, in group order */
    GroupComms open(List<Integer> processes, int tag) {
        long comm = setup.create(processes, tag);
        return new GroupComms(comm, setup.duplicate(comm));
    }

    void free(GroupComms comms) {
        setup.free(comms.polled());
        setup.free(comms.blocking());
    }

    /**
     * Ends MPI once the worker has done what it has, which the process waits for at its end, for two seconds. If something has been begun that will not end, MPI is
     * left alone: it may not be ended then.
     */
    void end() {
        hasEnded = true;
        CountDownLatch ended = new CountDownLatch(1);
        Thread patience = new Thread(() -> await(ended), "rcomm-mpi-end");
        boolean isLate = !isRemembered(patience);
        worker.add(() -> {
            try {
                if (kept.isEmpty()) {
                    setup.end();
                } else {
                    LOG.warn(
                            "MPI is not ended, because a rank is lost or MPI still has calls that have failed: its launcher may say that this process has not ended"
                                    + " well");
                }
            } catch (MpiException e) {
                LOG.warn("MPI has not ended well: cause={}", CommException.textOf(e));
            } finally {
                ended.countDown();
                forget(patience);
            }
        });
        worker.close();
        if (isLate && !Schedulers.isInNonBlockingThread()) {
            await(ended);
        }
    }

    /** {@return whether the JVM will wait for it at its end; not if it ends already, as where a hook closes the world} */
    private static boolean isRemembered(Thread patience) {
        try {
            Runtime.getRuntime().addShutdownHook(patience);
            return true;
        } catch (IllegalStateException e) {
            LOG.debug("the process ends already", e);
            return false;
        }
    }

    private static void forget(Thread patience) {
        try {
            Runtime.getRuntime().removeShutdownHook(patience);
        } catch (IllegalStateException e) {
            LOG.debug("the process ends already", e);
        }
    }

    private static void await(CountDownLatch ended) {
        try {
            if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn(
                        "this process ends before MPI has: other ranks have not ended it within {} s, because their worlds are open or have failed",
                        END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
