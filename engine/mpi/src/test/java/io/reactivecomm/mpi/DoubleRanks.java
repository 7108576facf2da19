package io.reactivecomm.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Processes of the double of MPI without an engine, which have begun; each makes calls on its own thread. */
final class DoubleRanks implements AutoCloseable {

    private static final long LIMIT_SECONDS = 30;

    private final DoubleMeeting meeting;
    private final List<MpiProcess> processes;
    private final Arena arena = Arena.ofShared();
    private final List<MemorySegment> memory;

    /** The program of a rank. */
    interface Program {

        void run(Rank rank) throws MpiException;
    }

    /**
     * One of them.
     *
     * @param memory its own: a few bytes
     */
    record Rank(int number, MpiProcess process, MemorySegment memory) {

        MpiCalls calls() {
            return process.calls();
        }

        MpiSetup setup() {
            return process.setup();
        }

        long world() {
            return process.setup().world();
        }

        long constant(Constant constant) {
            return process.library().constant(constant);
        }

        /** {@return an address in its memory} */
        long at(long bytes) {
            return memory.address() + bytes;
        }

        void await(long request) {
            process.setup().await(request);
        }
    }

    private DoubleRanks(DoubleMeeting meeting) {
        this.meeting = meeting;
        this.processes =
                IntStream.range(0, meeting.size()).mapToObj(meeting::join).toList();
        this.memory =
                processes.stream().map(ignored -> arena.allocate(4096, 64)).toList();
    }

    static DoubleRanks begin(DoubleDialect dialect, int size) {
        DoubleRanks ranks = new DoubleRanks(DoubleMeeting.open(dialect, size));
        ranks.run(rank -> rank.setup().begin());
        return ranks;
    }

    DoubleMeeting meeting() {
        return meeting;
    }

    /** Has all do it, at the same time, and waits for them. {@return why it failed, by rank; null where it did not} */
    List<Throwable> run(Program program) {
        List<CompletableFuture<Boolean>> all = begun(program);
        List<Throwable> failures = new ArrayList<>();
        for (CompletableFuture<Boolean> each : all) {
            failures.add(failure(each));
        }
        return failures;
    }

    /** As {@link #run}, without the wait. */
    List<CompletableFuture<Boolean>> begun(Program program) {
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        for (int rank = 0; rank < processes.size(); rank++) {
            Rank own = new Rank(rank, processes.get(rank), memory.get(rank));
            all.add(own.process().call(() -> {
                program.run(own);
                return true;
            }));
        }
        return all;
    }

    static Throwable failure(CompletableFuture<?> call) {
        try {
            call.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a call did not end", e);
        }
    }

    float value(int rank, int index) {
        return memory.get(rank).getAtIndex(ValueLayout.JAVA_FLOAT, index);
    }

    /** Ends their threads, and requires that nothing was wrong. */
    @Override
    public void close() {
        processes.forEach(process -> process.worker().close());
        meeting.settle();
        arena.close();
    }

    /** As the other, and {@return what was wrong} */
    List<String> closedWithFaults() {
        processes.forEach(process -> process.worker().close());
        List<String> faults = meeting.settleWithFaults();
        arena.close();
        return faults;
    }
}
