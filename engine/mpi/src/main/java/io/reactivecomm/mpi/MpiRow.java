package io.reactivecomm.mpi;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Tensors that count as one row of elements, as MPI needs them: one piece of memory. Where they follow each other that is theirs, else it is a copy.
 *
 * @param in the memory of the call
 * @param tensors those that hold anything
 * @param memory the row
 * @param isCopy whether it is not the tensors' own memory
 */
record MpiRow(PlanMemory in, List<Tensor> tensors, MemorySegment memory, boolean isCopy) {

    private static final MpiRow NOTHING = new MpiRow(PlanMemory.HOST, List.of(), MemorySegment.NULL, false);

    /** {@return the row of those tensors, with their elements if it is a copy} */
    static MpiRow of(List<Tensor> all, Plan plan) {
        MpiRow row = ofResult(all, plan);
        row.load();
        return row;
    }

    /** {@return the row of tensors that are written: what a copy holds is undefined} */
    static MpiRow ofResult(List<Tensor> all, Plan plan) {
        List<Tensor> tensors =
                all.stream().filter(tensor -> tensor.byteSize() > 0).toList();
        if (tensors.isEmpty()) {
            return NOTHING;
        }
        PlanMemory in = plan.memory();
        MemorySegment first = in.at(tensors.getFirst());
        if (tensors.size() == 1) {
            return new MpiRow(in, tensors, first, false);
        }
        long bytes = tensors.stream().mapToLong(Tensor::byteSize).sum();
        return followEachOther(tensors, in)
                ? new MpiRow(
                        in, tensors, MemorySegment.ofAddress(first.address()).reinterpret(bytes), false)
                : new MpiRow(in, tensors, plan.scratch(bytes), true);
    }

    private static boolean followEachOther(List<Tensor> tensors, PlanMemory in) {
        long next = in.at(tensors.getFirst()).address();
        for (Tensor tensor : tensors) {
            if (in.at(tensor).address() != next) {
                return false;
            }
            next += tensor.byteSize();
        }
        return true;
    }

    /** {@return another row for the same tensors, which is none of their memory, and holds nothing} */
    MpiRow another(Plan plan) {
        long bytes = memory.byteSize();
        return bytes == 0 ? NOTHING : new MpiRow(in, tensors, plan.scratch(bytes), true);
    }

    long address() {
        return memory.address();
    }

    /** {@return whether a byte is in both} */
    boolean overlaps(MpiRow other) {
        return address() < other.address() + other.memory.byteSize() && other.address() < address() + memory.byteSize();
    }

    private void load() {
        if (isCopy) {
            long at = 0;
            for (Tensor tensor : tensors) {
                in.copy(in.at(tensor), memory.asSlice(at, tensor.byteSize()));
                at += tensor.byteSize();
            }
        }
    }

    /** Takes what another row of the same length holds, unless that is this one's memory. */
    void take(MpiRow other) {
        if (address() != other.address()) {
            in.copy(other.memory, memory);
        }
    }

    /** Puts a copy where it belongs. */
    void store() {
        if (isCopy) {
            long at = 0;
            for (Tensor tensor : tensors) {
                in.copy(memory.asSlice(at, tensor.byteSize()), in.at(tensor));
                at += tensor.byteSize();
            }
        }
    }
}
