package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.nccl.doubles.CudaDoubleLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The processes of one world over the double of MPI: each rank's loaded copy, and the memory where they meet.
 *
 * <p><b>Threads.</b> Any.
 */
final class DoubleMeeting {

    /** Longer than the end of a world takes. */
    private static final long LIMIT_NANOS = Duration.ofSeconds(20).toNanos();

    private static final long STEP_NANOS = 500_000;

    /** The loops of closed worlds may look at a request once more: so long their memory is kept. */
    private static final int MOST_CLOSED = 8;

    private static final Map<String, DoubleMeeting> BY_NAME = new ConcurrentHashMap<>();
    private static final Queue<DoubleMeeting> NEW = new ConcurrentLinkedQueue<>();
    private static final ArrayDeque<DoubleMeeting> CLOSED = new ArrayDeque<>();

    private final DoubleDialect dialect;
    private final int size;
    private final DoubleProcess first;
    private final MemorySegment memory;
    private final List<DoubleProcess> processes = new ArrayList<>();
    private final List<MpiProcess> joined = new ArrayList<>();
    private final List<Thread> workers = new ArrayList<>();
    private volatile boolean isClosed;

    private DoubleMeeting(DoubleDialect dialect, int size) {
        this.dialect = dialect;
        this.size = size;
        this.first = DoubleProcess.load(dialect);
        this.memory = first.open(size);
    }

    /** {@return one that nobody has joined} */
    static DoubleMeeting open(DoubleDialect dialect, int size) {
        return new DoubleMeeting(dialect, size);
    }

    /** {@return that of a world, which is the same for all ranks} */
    static DoubleMeeting named(String world, DoubleDialect dialect, int size) {
        return BY_NAME.computeIfAbsent(world, ignored -> {
            DoubleMeeting fresh = open(dialect, size);
            NEW.add(fresh);
            return fresh;
        });
    }

    /** {@return those that have been opened since somebody asked last} */
    static List<DoubleMeeting> taken() {
        List<DoubleMeeting> taken = new ArrayList<>();
        for (DoubleMeeting next = NEW.poll(); next != null; next = NEW.poll()) {
            taken.add(next);
        }
        return taken;
    }

    /** {@return the process of the first rank, whoever asks} */
    MpiProcess only() {
        synchronized (DoubleMeeting.class) {
            return joined.isEmpty() ? join(0) : joined.getFirst();
        }
    }

    /** {@return a rank's process} */
    MpiProcess join(int rank) {
        return join(rank, dialect);
    }

    /** As the other, with a library of its own. */
    MpiProcess join(int rank, DoubleDialect dialect) {
        return join(rank, dialect, Map.of());
    }

    /** As the other, started by a launcher that has set variables. */
    MpiProcess join(int rank, Map<String, String> environment) {
        return join(rank, dialect, environment);
    }

    private MpiProcess join(int rank, DoubleDialect dialect, Map<String, String> environment) {
        DoubleProcess process = DoubleProcess.load(dialect);
        process.join(memory, rank);
        synchronized (DoubleMeeting.class) {
            Set<Thread> before = new HashSet<>(allWorkers());
            MpiProcess fresh = MpiProcess.of(process.library(), environment);
            processes.add(process);
            joined.add(fresh);
            allWorkers().stream().filter(thread -> !before.contains(thread)).forEach(workers::add);
            return fresh;
        }
    }

    private static List<Thread> allWorkers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("rcomm-mpi"))
                .toList();
    }

    /** The most communicators of a process from here on, and the level of threads of those that begin. */
    void set(int mostComms, int level) {
        first.set(memory, mostComms, level);
    }

    /** Reaches devices by the double of CUDA, and says that it takes their addresses, or not. */
    void useCuda(boolean isClaimed) {
        SymbolLookup cuda = SymbolLookup.libraryLookup(CudaDoubleLibrary.built(), Arena.global());
        first.useCuda(
                memory,
                isClaimed,
                cuda.findOrThrow("double_cuda_map"),
                cuda.findOrThrow("double_cuda_knows"),
                cuda.findOrThrow("double_cuda_context_device"));
    }

    /** {@return how many calls were given addresses of devices} */
    int deviceCalls() {
        return first.count(memory, 5);
    }

    /** A process stops to answer, or goes on. */
    void stop(int rank, boolean isStopped) {
        first.stop(memory, rank, isStopped);
    }

    /** Each MPI_Wait fails from here on, and has not ended what it waits for; or no more. */
    void failWaits(boolean areFailing) {
        first.failWaits(memory, areFailing);
    }

    /** Ends all that waits with an error. */
    void release() {
        first.release(memory);
    }

    /** {@return how many processes have ended in good order} */
    int ended() {
        return first.count(memory, 1);
    }

    /** {@return the threads that wait in a function of MPI} */
    int blocked() {
        return first.count(memory, 2);
    }

    /** {@return the communicators that all processes have, apart from the one of all} */
    int communicators() {
        return first.count(memory, 3);
    }

    /** {@return the calls of all processes that MPI has} */
    int pending() {
        return first.count(memory, 4);
    }

    /** {@return what the processes keep for good because MPI may write to it} */
    int kept() {
        return joined.stream().mapToInt(process -> process.kept().size()).sum();
    }

    int size() {
        return size;
    }

    List<String> faults() {
        List<String> faults = new ArrayList<>();
        for (String next = first.fault(memory, 0); !next.isEmpty(); next = first.fault(memory, faults.size())) {
            faults.add(next);
        }
        return faults;
    }

    /** After the end of its world: what waits in MPI for ever is let go, and nothing may have been wrong. */
    void settle() {
        if (!isClosed) {
            List<String> faults = settleWithFaults();
            assertThat(faults).as("faults in the use of MPI").isEmpty();
        }
    }

    /** As the other, and {@return what was wrong} */
    List<String> settleWithFaults() {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (alive() > 0 && System.nanoTime() < deadline) {
            if (blocked() >= alive()) {
                release();
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
        List<String> faults = faults();
        assertThat(alive()).as("threads of MPI after the end of the world").isZero();
        close();
        return faults;
    }

    /** After a world that was not opened: its processes end. */
    void abandon() {
        release();
        joined.forEach(process -> process.worker().close());
        settle();
    }

    private long alive() {
        synchronized (DoubleMeeting.class) {
            return workers.stream().filter(Thread::isAlive).count();
        }
    }

    private void close() {
        synchronized (DoubleMeeting.class) {
            isClosed = true;
            joined.stream().flatMap(process -> process.kept().stream()).forEach(DoubleMeeting::free);
            processes.forEach(DoubleProcess::leave);
            CLOSED.add(this);
            if (CLOSED.size() > MOST_CLOSED) {
                DoubleMeeting oldest = CLOSED.remove();
                oldest.first.close(oldest.memory);
            }
        }
    }

    private static void free(Object kept) {
        switch (kept) {
            case SmallCalls rounds -> rounds.free();
            case BlockingCall call -> call.free();
            default -> throw new AssertionError("something else is kept: " + kept);
        }
    }
}
