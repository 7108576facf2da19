package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import java.util.List;

/**
 * Tensors that count as one row of elements, as NCCL needs them: at one address. Where they follow each other that is theirs, else it is a copy.
 *
 * @param tensors those that hold anything
 * @param address of the row; 0 if it holds nothing
 * @param isCopy whether it is not the tensors' own memory
 */
record NcclRow(List<Tensor> tensors, long address, boolean isCopy) {

    /** {@return the row of tensors that are read} */
    static NcclRow of(List<Tensor> all, NcclPlan plan) {
        NcclRow row = from(all, plan);
        row.eachPart((tensor, at) -> plan.before(new NcclPlan.Copy(tensor.address(), at, tensor.byteSize())));
        return row;
    }

    /** {@return the row of tensors that are written: what a copy holds before is undefined} */
    static NcclRow ofResult(List<Tensor> all, NcclPlan plan) {
        NcclRow row = from(all, plan);
        row.eachPart((tensor, at) -> plan.after(new NcclPlan.Copy(at, tensor.address(), tensor.byteSize())));
        return row;
    }

    private static NcclRow from(List<Tensor> all, NcclPlan plan) {
        List<Tensor> tensors =
                all.stream().filter(tensor -> tensor.byteSize() > 0).toList();
        if (tensors.isEmpty()) {
            return new NcclRow(tensors, 0, false);
        }
        if (followEachOther(tensors)) {
            return new NcclRow(tensors, tensors.getFirst().address(), false);
        }
        return new NcclRow(
                tensors,
                plan.scratch(tensors.stream().mapToLong(Tensor::byteSize).sum()),
                true);
    }

    /** {@return whether each begins where the one before it ends} */
    static boolean followEachOther(List<Tensor> tensors) {
        for (int i = 1; i < tensors.size(); i++) {
            if (tensors.get(i).address()
                    != tensors.get(i - 1).address() + tensors.get(i - 1).byteSize()) {
                return false;
            }
        }
        return true;
    }

    /** Takes a tensor and where its elements are in the copy. */
    private interface PartOfCopy {

        void take(Tensor tensor, long address);
    }

    private void eachPart(PartOfCopy taken) {
        if (isCopy) {
            long at = address;
            for (Tensor tensor : tensors) {
                taken.take(tensor, at);
                at += tensor.byteSize();
            }
        }
    }
}
