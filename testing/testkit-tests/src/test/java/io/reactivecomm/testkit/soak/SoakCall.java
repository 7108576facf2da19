package io.reactivecomm.testkit.soak;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One place of a scope with tensors of its own, which takes any of the calls there are, and knows what its result must be.
 *
 * @param index tells the values of one place from those of another
 */
record SoakCall(int index, int rank, int size, Tensor input, Tensor output, Tensor gathered, Tensor nothing)
        implements AutoCloseable {

    /** The calls. */
    enum Kind {
        IN_PLACE,
        APART,
        BROADCAST,
        ALL_GATHER,
        NOTHING
    }

    static SoakCall of(int index, int rank, int size, long count) {
        return new SoakCall(
                index,
                rank,
                size,
                Tensor.allocate(DType.INT64, count),
                Tensor.allocate(DType.INT64, count),
                Tensor.allocate(DType.INT64, count * size),
                Tensor.allocate(DType.INT64, 0));
    }

    void fill(long turn) {
        fill(input, contribution(turn, rank));
        fill(output, -1);
        fill(gathered, -1);
    }

    void addTo(CoalesceScope scope, Kind kind, long turn) {
        switch (kind) {
            case IN_PLACE -> scope.allReduce(input, ReduceOp.SUM);
            case APART -> scope.allReduce(input, output, ReduceOp.SUM);
            case BROADCAST -> scope.broadcast(input, root(turn));
            case ALL_GATHER -> scope.allGather(input, gathered);
            case NOTHING -> scope.allReduce(nothing, ReduceOp.SUM);
        }
    }

    void require(Kind kind, long turn) {
        switch (kind) {
            case IN_PLACE -> require(kind, turn, input, 0, input.count(), sum(turn));
            case APART -> require(kind, turn, output, 0, output.count(), sum(turn));
            case BROADCAST -> require(kind, turn, input, 0, input.count(), contribution(turn, root(turn)));
            case ALL_GATHER -> {
                for (int each = 0; each < size; each++) {
                    require(kind, turn, gathered, each * input.count(), input.count(), contribution(turn, each));
                }
            }
            case NOTHING -> {}
        }
    }

    private int root(long turn) {
        return (int) (turn % size);
    }

    private long contribution(long turn, int ofRank) {
        return turn * 31 + index * 1_000_003L + (ofRank + 1) * 7L;
    }

    private long sum(long turn) {
        return size * contribution(turn, -1) + 7L * size * (size + 1) / 2;
    }

    private static void fill(Tensor tensor, long value) {
        MemorySegment segment = tensor.segment();
        for (long at = 0; at < tensor.count(); at++) {
            segment.setAtIndex(ValueLayout.JAVA_LONG, at, value);
        }
    }

    private void require(Kind kind, long turn, Tensor tensor, long from, long count, long wanted) {
        MemorySegment segment = tensor.segment();
        for (long at = from; at < from + count; at++) {
            long found = segment.getAtIndex(ValueLayout.JAVA_LONG, at);
            if (found != wanted) {
                throw new AssertionError("wrong result: call=" + kind + ", rank=" + rank + ", turn=" + turn
                        + ", element=" + at + ", found=" + found + ", wanted=" + wanted);
            }
        }
    }

    @Override
    public void close() {
        input.close();
        output.close();
        gathered.close();
        nothing.close();
    }
}
