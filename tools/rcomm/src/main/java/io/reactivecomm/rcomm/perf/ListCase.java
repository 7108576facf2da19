package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** All-reduces of many float32 tensors, such as a model's gradients: all in flight at once, or as one call. */
final class ListCase implements Measured {

    private final PerfOp op;
    private final ProcessGroup group;
    private final List<Tensor> tensors;

    /** Allocates a tensor for each count of elements. */
    ListCase(PerfOp op, List<Long> counts, Buffers buffers, ProcessGroup group) {
        this.op = op;
        this.group = group;
        this.tensors = counts.stream()
                .map(count -> buffers.allocate(group, DType.FLOAT32, count))
                .toList();
    }

    @Override
    public PerfOp op() {
        return op;
    }

    @Override
    public long byteSize() {
        return tensors.stream().mapToLong(Tensor::byteSize).sum();
    }

    @Override
    public void fill() {
        tensors.forEach(Pattern.of(group.rank())::fill);
    }

    @Override
    public Flux<Work> calls() {
        if (op == PerfOp.COALESCED) {
            return group.allReduceCoalesced(tensors, ReduceOp.SUM).flux();
        }
        List<Mono<Work>> calls = tensors.stream()
                .map(tensor -> group.allReduce(tensor, ReduceOp.SUM))
                .toList();
        return group.batch(calls).flatMapIterable(works -> works);
    }

    @Override
    public long wrongElements() {
        Pattern expected = Pattern.sum(group.size());
        return tensors.stream().mapToLong(expected::wrong).sum();
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
    }
}
