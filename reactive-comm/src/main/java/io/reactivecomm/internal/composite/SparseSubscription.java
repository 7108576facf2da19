package io.reactivecomm.internal.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Conversation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription of a sparse all-reduce.
 *
 * <p>All checks are made inside the calls' suppliers: what fails them refuses the call that the other ranks wait in.
 *
 * <p><b>Buffers.</b> This rank's tensors are borrowed from the first call to {@link #close()}.
 *
 * <p><b>Threads.</b> One after the other, as the calls follow each other.
 */
final class SparseSubscription implements AutoCloseable {

    private final Conversation talk;
    private final Reduction op;
    private final Temporaries memory;
    private final List<Tensor> borrowed = new ArrayList<>();
    private @Nullable SparseRows own;
    private @Nullable SparseTensor result;

    /** @param memory holds what this needs; closed with it */
    SparseSubscription(Conversation talk, Reduction op, Temporaries memory) {
        this.talk = talk;
        this.op = op;
        this.memory = memory;
    }

    Mono<SparseTensor> run(@Nullable SparseTensor tensor) {
        Tensor headers = memory.tensor(DType.INT64, (long) SparseHeader.COUNT * talk.size());
        List<Tensor> indices = new ArrayList<>();
        return talk.next(() -> announced(tensor, headers))
                .flatMap(work -> talk.nextAside(() -> gathered(headers, indices)))
                .flatMap(work -> talk.nextAside(() -> united(indices)))
                .map(work -> handedOut());
    }

    /** Says what this rank has. */
    private Collective announced(@Nullable SparseTensor tensor, Tensor headers) {
        SparseTensor usable = SparseRows.usable(tensor);
        borrow(usable.indices());
        borrow(usable.values());
        SparseRows rows = SparseRows.checked(usable, op);
        own = rows;
        return new AllGather(memory.kept(Tensor.of(SparseHeader.of(rows))), headers);
    }

    private void borrow(Tensor tensor) {
        if (!tensor.borrow()) {
            throw new InvalidCallException(SparseAllReduce.OPERATION + " got a tensor that was closed before the call was subscribed to: tensor="
                    + tensor + "; keep it open until the call has ended");
        }
        borrowed.add(tensor);
    }

    /** Says which rows this rank has, each once. */
    private Collective gathered(Tensor headers, List<Tensor> indices) {
        SparseRows rows = own();
        for (long count : SparseHeader.counts(headers, rows, talk.rank())) {
            indices.add(memory.tensor(DType.INT64, count));
        }
        return new AllGather(memory.kept(Tensor.of(rows.distinct())), indices);
    }

    /** Puts this rank's rows among those that any rank has. */
    private Collective united(List<Tensor> indices) {
        SparseRows rows = own();
        long[] union = RowUnion.of(indices, rows.tensor().rows());
        long[] shape = rows.tensor().values().shape();
        shape[0] = union.length;
        Tensor values = memory.tensor(rows.tensor().values().type(), shape);
        RowUnion.place(rows, union, values);
        result = new SparseTensor(memory.kept(Tensor.of(union)), values, rows.tensor().rows());
        return new AllReduce(values, values, op);
    }

    private SparseTensor handedOut() {
        SparseTensor done = present(result);
        memory.handedOut(done.indices());
        memory.handedOut(done.values());
        return done;
    }

    private SparseRows own() {
        return present(own);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a step of a sparse all-reduce ran before the one that comes first");
        }
        return value;
    }

    @Override
    public void close() {
        borrowed.forEach(Tensor::giveBack);
        memory.close();
    }
}
