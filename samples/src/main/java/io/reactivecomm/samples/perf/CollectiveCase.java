package io.reactivecomm.samples.perf;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One collective of one size.
 *
 * <p>All-reduce, reduce and broadcast are in place, as most programs call them; all-gather and reduce-scatter have an input and an output.
 * A sum in place grows from round to round, which costs nothing: only the first round after {@link #fill()} is checked.
 */
final class CollectiveCase implements Measured {

    private static final int ROOT = 0;

    private final PerfOp op;
    private final ProcessGroup group;
    private final Tensor input;
    private final Tensor output;

    private CollectiveCase(PerfOp op, ProcessGroup group, Tensor input, Tensor output) {
        this.op = op;
        this.group = group;
        this.input = input;
        this.output = output;
    }

    /** {@return the case of an operation and a size in bytes, with its tensors} */
    static CollectiveCase of(PerfOp op, long bytes, DType type, Buffers buffers, ProcessGroup group) {
        long elements = op == PerfOp.BARRIER ? 0 : op.elements(bytes, type, group.size());
        long part = elements / group.size();
        Tensor input = buffers.allocate(group, type, op == PerfOp.ALL_GATHER ? part : elements);
        Tensor output = switch (op) {
            case ALL_GATHER -> buffers.allocate(group, type, elements);
            case REDUCE_SCATTER -> buffers.allocate(group, type, part);
            case ALL_REDUCE, REDUCE, BROADCAST, BARRIER, LIST -> input;
        };
        return new CollectiveCase(op, group, input, output);
    }

    @Override
    public PerfOp op() {
        return op;
    }

    @Override
    public long byteSize() {
        return Math.max(input.byteSize(), output.byteSize());
    }

    @Override
    public void fill() {
        output.segment().fill((byte) 0);
        if (op != PerfOp.BROADCAST || group.rank() == ROOT) {
            Pattern.of(group.rank()).fill(input);
        }
    }

    @Override
    public Flux<Work> calls() {
        Mono<Work> call = switch (op) {
            case ALL_REDUCE, LIST -> group.allReduce(input, ReduceOp.SUM);
            case REDUCE -> group.reduce(input, ROOT, ReduceOp.SUM);
            case BROADCAST -> group.broadcast(input, ROOT);
            case ALL_GATHER -> group.allGather(input, output);
            case REDUCE_SCATTER -> group.reduceScatter(input, output, ReduceOp.SUM);
            case BARRIER -> group.barrier();
        };
        return call.flux();
    }

    @Override
    public long wrongElements() {
        return switch (op) {
            case ALL_REDUCE, LIST -> Pattern.sum(group.size()).wrong(output);
            case REDUCE -> (group.rank() == ROOT ? Pattern.sum(group.size()) : Pattern.of(group.rank())).wrong(output);
            case BROADCAST -> Pattern.of(ROOT).wrong(output);
            case ALL_GATHER -> wrongParts();
            case REDUCE_SCATTER ->
                Pattern.sum(group.size()).from(group.rank() * output.count()).wrong(output);
            case BARRIER -> 0;
        };
    }

    private long wrongParts() {
        long wrong = 0;
        for (int rank = 0; rank < group.size(); rank++) {
            wrong += Pattern.of(rank).wrong(output.slice(rank * input.count(), input.count()));
        }
        return wrong;
    }

    @Override
    public void close() {
        input.close();
        output.close();
    }
}
