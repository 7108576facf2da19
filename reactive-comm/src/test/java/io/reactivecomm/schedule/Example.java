package io.reactivecomm.schedule;

import io.reactivecomm.schedule.SymbolicMemory.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One call as the builders see it, with what it should come to.
 *
 * @param count elements, as the operation's signature counts them
 * @param root the root, or −1
 * @param inPlace whether input and output are one memory
 */
record Example(Kind kind, int size, long count, int root, boolean inPlace) {

    /** The builders, and what the operation that each serves is. */
    enum Kind {
        GATHER_FOLD(new GatherFoldAllReduce()),
        RANK_ORDER(new RankOrderAllReduce()),
        REDUCE_SCATTER(new RankOrderReduceScatter()),
        ALL_GATHER(new DirectAllGather()),
        BROADCAST(new BinomialBroadcast()),
        DIRECT_REDUCE(new DirectReduce()),
        CHAIN_REDUCE(new ChainReduce()),
        BARRIER(new DisseminationBarrier());

        final Algorithm algorithm;

        Kind(Algorithm algorithm) {
            this.algorithm = algorithm;
        }

        /** {@return whether it relies on sends that do not wait for their receivers: it folds only after its sends} */
        boolean isEagerOnly() {
            return this == GATHER_FOLD;
        }

        boolean hasRoot() {
            return this == BROADCAST || this == DIRECT_REDUCE || this == CHAIN_REDUCE;
        }
    }

    /** Every count that has a corner in it, every kind of root, in place and out of place. */
    static Stream<Example> all(Kind kind, int size) {
        long[] counts = kind == Kind.BARRIER ? new long[] {0} : new long[] {0, 1, size - 1, size, size + 1, size > 64 ? 2 * size + 1 : 257};
        int[] roots = kind.hasRoot() ? IntStream.of(0, 1, size / 2, size - 1).filter(root -> root < size).distinct().toArray() : new int[] {-1};
        return LongStream.of(counts).distinct().boxed().flatMap(count -> IntStream.of(roots)
                .boxed()
                .flatMap(root -> Stream.of(true, false)
                        .filter(inPlace -> inPlace || !kind.hasRoot())
                        .map(inPlace -> new Example(kind, size, count, root, inPlace))));
    }

    List<Schedule> schedules() {
        return IntStream.range(0, size)
                .mapToObj(rank -> kind.algorithm.schedule(new Place(count, rank, size, root)))
                .toList();
    }

    List<SymbolicMemory> memories(List<Schedule> schedules) {
        long input = kind == Kind.REDUCE_SCATTER ? count * size : count;
        long output = kind == Kind.ALL_GATHER ? count * size : count;
        List<SymbolicMemory> memories = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            memories.add(new SymbolicMemory(rank, input, output, schedules.get(rank).scratchCount(), inPlace, rank * count));
        }
        return memories;
    }

    /** {@return a run that is over} */
    SymbolicRun run(long seed) {
        List<Schedule> schedules = schedules();
        return new SymbolicRun(schedules, memories(schedules), kind.isEagerOnly(), SymbolicRun.NOTHING, seed).run();
    }

    /** Requires what the operation promises. */
    void verify(List<SymbolicMemory> memories) {
        List<Integer> allRanks = IntStream.range(0, size).boxed().toList();
        for (int rank = 0; rank < size; rank++) {
            SymbolicMemory memory = memories.get(rank);
            for (int i = 0; i < count; i++) {
                switch (kind) {
                    case GATHER_FOLD, RANK_ORDER -> require(rank, memory.output(i), new Value(i, allRanks, true));
                    case REDUCE_SCATTER -> require(rank, memory.output(i), new Value(rank * count + i, allRanks, true));
                    case BROADCAST -> require(rank, memory.output(i), new Value(i, List.of(root), false));
                    case DIRECT_REDUCE, CHAIN_REDUCE ->
                        require(rank, memory.output(i), rank == root ? new Value(i, allRanks, true) : new Value(i, List.of(rank), false));
                    case ALL_GATHER -> {
                        for (int source = 0; source < size; source++) {
                            require(rank, memory.output(source * count + i), new Value(i, List.of(source), false));
                        }
                    }
                    case BARRIER -> throw new AssertionError("a barrier has no elements");
                }
                if (!inPlace) {
                    require(rank, memory.input(i), new Value(i, List.of(rank), false));
                }
            }
        }
    }

    private void require(int rank, Value actual, Value expected) {
        if (!expected.equals(actual)) {
            throw new AssertionError("wrong element: rank=" + rank + ", actual=" + actual + ", expected=" + expected + ", " + this);
        }
    }
}
