package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;

/** An all-reduce in place that takes the fewest steps its size allows. */
public record InferenceAllReduce(Tensor tensor, Reduction reduction) implements OneTensor {

    public InferenceAllReduce {
        Checks.usable(Operation.INFERENCE_ALL_REDUCE, "tensor", tensor);
        Checks.reducible(Operation.INFERENCE_ALL_REDUCE, tensor.type(), reduction);
    }

    @Override
    public Operation operation() {
        return Operation.INFERENCE_ALL_REDUCE;
    }

    @Override
    public Signature signature() {
        return new Signature(
                Operation.INFERENCE_ALL_REDUCE, tensor.type(), tensor.count(), Signature.NO_ROOT, reduction);
    }

    @Override
    public InferenceAllReduce checkedFor(int rank, int size) {
        return this;
    }
}
