package io.reactivecomm.nccl;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Ranks that are threads of this JVM, each with a communicator, a stream and memory of its own, over one copy of the double of NCCL. */
final class NcclDoubleRanks implements AutoCloseable {

    private static final AtomicLong STREAMS = new AtomicLong(1);

    /** The work of a rank, on its thread. */
    interface Program {

        void run(Rank rank);
    }

    /** One rank. @param comm 0 before there is one */
    record Rank(
            int number,
            int size,
            NcclDouble nccl,
            NcclSetup setup,
            NcclCalls calls,
            long comm,
            long stream,
            MemorySegment memory) {

        /** {@return an address in this rank's memory} */
        long at(long offset) {
            return memory.address() + offset;
        }

        void synchronize() {
            nccl.synchronize(stream);
        }

        Rank with(long otherComm) {
            return new Rank(number, size, nccl, setup, calls, otherComm, stream, memory);
        }

        /** Asks a communicator until it is not in progress. {@return how often} */
        int poll(long asked) {
            int polls = 1;
            while (setup.asyncError(asked) == NcclResult.IN_PROGRESS) {
                polls++;
                Thread.onSpinWait();
            }
            return polls;
        }
    }

    private final NcclDouble nccl;
    private final Arena arena = Arena.ofShared();
    private final List<ExecutorService> threads = new ArrayList<>();
    private List<Rank> ranks;

    private NcclDoubleRanks(NcclDouble nccl, int size, int bytes) {
        this.nccl = nccl;
        NcclSetup setup = new NcclSetup(nccl.library());
        NcclCalls calls = new NcclCalls(setup);
        List<Rank> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            threads.add(Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("rank-" + i).factory()));
            all.add(new Rank(i, size, nccl, setup, calls, 0, STREAMS.incrementAndGet(), arena.allocate(bytes, 64)));
        }
        ranks = all;
    }

    /** {@return ranks without communicators} */
    static NcclDoubleRanks unjoined(NcclDouble nccl, int size) {
        return new NcclDoubleRanks(nccl, size, 1 << 12);
    }

    /** {@return ranks with a communicator that blocks} */
    static NcclDoubleRanks begin(NcclDouble nccl, int size, int bytes) {
        NcclDoubleRanks made = new NcclDoubleRanks(nccl, size, bytes);
        byte[] id = made.ranks.getFirst().setup.uniqueId();
        made.join(rank -> rank.setup.initRank(size, id, rank.number).comm());
        return made;
    }

    static NcclDoubleRanks begin(NcclDouble nccl, int size) {
        return begin(nccl, size, 1 << 12);
    }

    /** {@return ranks with a communicator that does not block, ready} */
    static NcclDoubleRanks beginPolled(NcclDouble nccl, int size) {
        NcclDoubleRanks made = new NcclDoubleRanks(nccl, size, 1 << 12);
        byte[] id = made.ranks.getFirst().setup.uniqueId();
        made.join(rank -> {
            long comm = rank.setup
                    .initRank(size, id, rank.number, new NcclConfig(false))
                    .comm();
            rank.poll(comm);
            return comm;
        });
        return made;
    }

    private interface Joining {

        long comm(Rank rank);
    }

    private void join(Joining joining) {
        long[] comms = new long[ranks.size()];
        throwFirst(run(rank -> comms[rank.number] = joining.comm(rank)));
        ranks = ranks.stream().map(rank -> rank.with(comms[rank.number])).toList();
    }

    private static void throwFirst(List<@Nullable RuntimeException> outcomes) {
        for (RuntimeException each : outcomes) {
            if (each != null) {
                throw each;
            }
        }
    }

    Rank rank(int number) {
        return ranks.get(number);
    }

    NcclDouble nccl() {
        return nccl;
    }

    /** Runs a program on all ranks. {@return what each has thrown, or null} */
    List<@Nullable RuntimeException> run(Program program) {
        List<Future<@Nullable RuntimeException>> running = IntStream.range(0, ranks.size())
                .mapToObj(i -> start(i, program))
                .toList();
        List<@Nullable RuntimeException> outcomes = new ArrayList<>();
        for (Future<@Nullable RuntimeException> each : running) {
            try {
                outcomes.add(each.get());
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException("a rank did not end", e);
            }
        }
        return outcomes;
    }

    /** As the other, and none throws. */
    void succeed(Program program) {
        throwFirst(run(program));
    }

    Future<@Nullable RuntimeException> start(int rank, Program program) {
        return threads.get(rank).submit(() -> {
            try {
                program.run(ranks.get(rank));
                return null;
            } catch (RuntimeException e) {
                return e;
            }
        });
    }

    /** Ends what is still there of the communicators. */
    @Override
    public void close() {
        nccl.clear();
        for (Rank rank : ranks) {
            try {
                if (rank.comm != 0 && nccl.library().has(NcclFunction.COMM_ABORT)) {
                    rank.setup.abort(rank.comm);
                }
            } catch (NcclException e) {
                // It has ended already, as its test wanted.
                nccl.clear();
            }
        }
        ranks.forEach(rank -> nccl.synchronize(rank.stream));
        threads.forEach(ExecutorService::shutdownNow);
        nccl.clear();
        arena.close();
    }
}
