package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A call and what NCCL does of it. */
record PlannedCall(NcclCall call, NcclPlan plan) {

    NcclGroup group() {
        return call.group();
    }

    /** {@return all that it reads and writes} */
    List<Tensor> tensors() {
        List<Tensor> tensors = new ArrayList<>(call.collective().tensors());
        tensors.addAll(plan.scratch());
        return tensors;
    }
}
