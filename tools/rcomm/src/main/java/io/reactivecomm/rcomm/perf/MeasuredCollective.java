package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One collective of one size.
 *
 * <p>All-reduce, reduce and broadcast are in place, as most programs call them; the others have an input and an output. A sum in place grows
 * from round to round, which costs nothing: only the first round after {@link #fill()} is checked.
 */
final class MeasuredCollective implements Measured {

    private static final int ROOT = 0;
    private static final Duration MONITORED = Duration.ofMinutes(1);

    private final PerfOp op;
    private final ProcessGroup group;
    private final Tensor input;
    private final Tensor output;

    private MeasuredCollective(PerfOp op, ProcessGroup group, Tensor input, Tensor output) {
        this.op = op;
        this.group = group;
        this.input = input;
        this.output = output;
    }

    /** {@return the case of an operation and a size in bytes, with its tensors} */
    static MeasuredCollective of(PerfOp op, long bytes, DType type, Buffers buffers, ProcessGroup group) {
        long elements = op.isBarrier() ? 0 : op.elements(bytes, type, group.size());
        long part = elements / group.size();
        boolean isRoot = group.rank() == ROOT;
        Tensor input = buffers.allocate(
                group,
                type,
                switch (op) {
                    case ALL_GATHER, GATHER -> part;
                    case SCATTER -> isRoot ? elements : 0;
                    case ALL_REDUCE,
                            INFERENCE_ALL_REDUCE,
                            REDUCE,
                            BROADCAST,
                            REDUCE_SCATTER,
                            ALL_TO_ALL,
                            SEND_RECEIVE,
                            BARRIER,
                            MONITORED_BARRIER,
                            LIST,
                            COALESCED -> elements;
                });
        Tensor output = switch (op) {
            case ALL_GATHER, ALL_TO_ALL, SEND_RECEIVE -> buffers.allocate(group, type, elements);
            case GATHER -> buffers.allocate(group, type, isRoot ? elements : 0);
            case REDUCE_SCATTER, SCATTER -> buffers.allocate(group, type, part);
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, BARRIER, MONITORED_BARRIER, LIST, COALESCED ->
                input;
        };
        return new MeasuredCollective(op, group, input, output);
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
        return switch (op) {
            case ALL_REDUCE, LIST, COALESCED ->
                group.allReduce(input, ReduceOp.SUM).flux();
            case INFERENCE_ALL_REDUCE ->
                group.inferenceAllReduce(input, ReduceOp.SUM).flux();
            case REDUCE -> group.reduce(input, ROOT, ReduceOp.SUM).flux();
            case BROADCAST -> group.broadcast(input, ROOT).flux();
            case ALL_GATHER -> group.allGather(input, output).flux();
            case REDUCE_SCATTER ->
                group.reduceScatter(input, output, ReduceOp.SUM).flux();
            case ALL_TO_ALL -> group.allToAll(input, output).flux();
            case GATHER -> group.gather(input, parts(output), ROOT).flux();
            case SCATTER -> group.scatter(parts(input), output, ROOT).flux();
            case SEND_RECEIVE -> sendReceive();
            case BARRIER -> group.barrier().flux();
            case MONITORED_BARRIER -> group.monitoredBarrier(MONITORED, true).flux();
        };
    }

    /** {@return the root's part for each rank; nothing elsewhere} */
    private List<Tensor> parts(Tensor whole) {
        List<Tensor> parts = new ArrayList<>();
        long part = whole.count() / group.size();
        for (int rank = 0; group.rank() == ROOT && rank < group.size(); rank++) {
            parts.add(whole.slice(rank * part, part));
        }
        return parts;
    }

    /** A rank by itself has nobody to send to: there it is a barrier. */
    private Flux<Work> sendReceive() {
        if (group.size() == 1) {
            return group.barrier().flux();
        }
        Mono<Work> send = group.send(input, (group.rank() + 1) % group.size(), 0);
        Mono<Work> receive = group.receive(output, before(), 0);
        return group.batch(List.of(send, receive)).flatMapIterable(works -> works);
    }

    private int before() {
        return Math.floorMod(group.rank() - 1, group.size());
    }

    @Override
    public long wrongElements() {
        return switch (op) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, LIST, COALESCED ->
                Pattern.sum(group.size()).wrong(output);
            case REDUCE -> (group.rank() == ROOT ? Pattern.sum(group.size()) : Pattern.of(group.rank())).wrong(output);
            case BROADCAST -> Pattern.of(ROOT).wrong(output);
            case ALL_GATHER, GATHER -> wrongParts(0);
            case ALL_TO_ALL -> wrongParts(group.rank() * (output.count() / group.size()));
            case REDUCE_SCATTER ->
                Pattern.sum(group.size()).from(group.rank() * output.count()).wrong(output);
            case SCATTER -> Pattern.of(ROOT).from(group.rank() * output.count()).wrong(output);
            case SEND_RECEIVE -> group.size() == 1 ? 0 : Pattern.of(before()).wrong(output);
            case BARRIER, MONITORED_BARRIER -> 0;
        };
    }

    /** {@return wrong elements of an output that has a part from each rank, which begins at that element of the rank's input} */
    private long wrongParts(long from) {
        long part = output.count() / group.size();
        long wrong = 0;
        for (int rank = 0; rank < group.size(); rank++) {
            wrong += Pattern.of(rank).from(from).wrong(output.slice(rank * part, part));
        }
        return wrong;
    }

    @Override
    public void close() {
        input.close();
        output.close();
    }
}
