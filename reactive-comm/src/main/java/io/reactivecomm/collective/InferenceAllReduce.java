package io.reactivecomm.collective;

import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;

/** An all-reduce in place that is answered in one step, or refused. */
public record InferenceAllReduce(Tensor tensor, Reduction reduction) implements OneTensor {

    /**
     * The most bytes that all ranks' tensors may have together. Beyond it the one step, in which every rank takes every other's whole
     * tensor, costs more than the step that it saves.
     */
    public static final long MOST_BYTES = 1 << 20;

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
        return new Signature(Operation.INFERENCE_ALL_REDUCE, tensor.type(), tensor.count(), Signature.NO_ROOT, reduction);
    }

    @Override
    public InferenceAllReduce checkedFor(int rank, int size) {
        if (tensor.byteSize() > MOST_BYTES / size) {
            throw new UnsupportedCollectiveException(label() + " takes small tensors only: bytes=" + tensor.byteSize() + ", size=" + size
                    + ", most=" + MOST_BYTES / size + "; use allReduce");
        }
        return this;
    }
}
