package io.reactivecomm.internal.group;

import io.reactivecomm.Collectives;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllGatherCoalesced;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.AllToAll;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.InferenceAllReduce;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.collective.ReduceScatter;
import io.reactivecomm.collective.Scatter;
import java.util.List;
import java.util.function.Supplier;

/** Makes each operation's call as data; what becomes of it is another matter. */
abstract class Calling<R> implements Collectives<R> {

    /** {@return what a call becomes; it is made, and its arguments are looked at, by the supplier} */
    abstract R call(Supplier<Collective> call);

    @Override
    public R allReduce(Tensor tensor, Reduction op) {
        return allReduce(tensor, tensor, op);
    }

    @Override
    public R allReduce(Tensor input, Tensor output, Reduction op) {
        return call(() -> new AllReduce(input, output, op));
    }

    @Override
    public R allReduceCoalesced(List<Tensor> tensors, Reduction op) {
        return call(() -> new AllReduce(tensors, tensors, op));
    }

    @Override
    public R inferenceAllReduce(Tensor tensor, Reduction op) {
        return call(() -> new InferenceAllReduce(tensor, op));
    }

    @Override
    public R reduce(Tensor tensor, int root, Reduction op) {
        return call(() -> new Reduce(tensor, root, op));
    }

    @Override
    public R broadcast(Tensor tensor, int root) {
        return call(() -> new Broadcast(tensor, root));
    }

    @Override
    public R allGather(Tensor input, Tensor output) {
        return call(() -> new AllGather(input, output));
    }

    @Override
    public R allGather(Tensor input, List<Tensor> outputs) {
        return call(() -> new AllGather(input, outputs));
    }

    @Override
    public R allGatherCoalesced(List<Tensor> inputs, List<Tensor> outputs) {
        return call(() -> new AllGatherCoalesced(inputs, outputs));
    }

    @Override
    public R reduceScatter(Tensor input, Tensor output, Reduction op) {
        return call(() -> new ReduceScatter(input, output, op));
    }

    @Override
    public R reduceScatter(List<Tensor> inputs, Tensor output, Reduction op) {
        return call(() -> new ReduceScatter(inputs, output, op));
    }

    @Override
    public R allToAll(Tensor input, Tensor output) {
        return call(() -> new AllToAll(input, output));
    }

    @Override
    public R allToAll(Tensor input, long[] inputSplits, Tensor output, long[] outputSplits) {
        return call(() -> new AllToAll(input, inputSplits, output, outputSplits));
    }

    @Override
    public R allToAll(List<Tensor> inputs, List<Tensor> outputs) {
        return call(() -> new AllToAll(inputs, outputs));
    }

    @Override
    public R gather(Tensor input, List<Tensor> outputs, int root) {
        return call(() -> new Gather(input, outputs, root));
    }

    @Override
    public R scatter(List<Tensor> inputs, Tensor output, int root) {
        return call(() -> new Scatter(inputs, output, root));
    }
}
