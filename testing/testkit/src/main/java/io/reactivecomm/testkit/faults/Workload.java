package io.reactivecomm.testkit.faults;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.List;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * The calls of a phase on one rank, without end.
 *
 * @param calls emits as calls end
 * @param tensors to be closed after the group
 * @param progresses whether calls end at all while all is well
 */
record Workload(Publisher<?> calls, List<Tensor> tensors, boolean progresses) {

    private static final long BULK_ELEMENTS = 4 << 20;
    private static final long STREAMED_ELEMENTS = 64 << 10;
    private static final int STREAMED_AHEAD = 16;
    private static final int TAG = 1;

    /** {@return the calls that a rank makes in that phase} */
    static Workload of(Phase phase, ProcessGroup group) {
        return switch (phase) {
            case FIRST_CALL -> sums(group, 1);
            case BULK -> sums(group, BULK_ELEMENTS);
            case STREAM -> new Workload(ring(group), List.of(), true);
            case OBJECT ->
                new Workload(
                        group.allGatherObject("rank " + group.rank(), String.class)
                                .repeat(),
                        List.of(),
                        true);
            case BARRIER -> new Workload(group.barrier().repeat(), List.of(), true);
            case RENDEZVOUS, IDLE, CLOSE -> watch(group);
        };
    }

    private static Workload sums(ProcessGroup group, long count) {
        Tensor tensor = group.allocate(DType.FLOAT32, count);
        return new Workload(group.allReduce(tensor, ReduceOp.SUM).repeat(), List.of(tensor), true);
    }

    /** Each rank sends to the next and receives from the one before. */
    private static Flux<Tensor> ring(ProcessGroup group) {
        int next = (group.rank() + 1) % group.size();
        int before = (group.rank() + group.size() - 1) % group.size();
        Flux<Tensor> tensors = Flux.generate(sink -> sink.next(Tensor.allocate(DType.FLOAT32, STREAMED_ELEMENTS)));
        Flux<Tensor> sent = group.sendAll(tensors, next, TAG).doOnDiscard(Tensor.class, Tensor::close);
        Flux<Tensor> received = group.receiveAll(before, TAG).limitRate(STREAMED_AHEAD);
        return Flux.merge(sent.doOnNext(Tensor::close), received.doOnNext(Tensor::close));
    }

    /** What tells an idle rank that its world has ended. */
    private static Workload watch(ProcessGroup group) {
        return new Workload(group.ended(), List.of(), false);
    }
}
