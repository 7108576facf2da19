package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Tensors that count as one row of elements, as MPI needs them: one piece of memory. Where they follow each other that is theirs, else it is a copy.
 *
 * @param tensors those that hold anything
 * @param memory the row
 * @param isCopy whether it is not the tensors' own memory
 */
record Row(List<Tensor> tensors, MemorySegment memory, boolean isCopy) {

    private static final Row NOTHING = new Row(List.of(), MemorySegment.NULL, false);

    /** {@return the row of those tensors, with their elements if it is a copy} */
    static Row of(List<Tensor> all, Plan plan) {
        Row row = ofResult(all, plan);
        row.load();
        return row;
    }

    /** {@return the row of tensors that are written: what a copy holds is undefined} */
    static Row ofResult(List<Tensor> all, Plan plan) {
        List<Tensor> tensors = all.stream().filter(tensor -> tensor.byteSize() > 0).toList();
        if (tensors.isEmpty()) {
            return NOTHING;
        }
        MemorySegment first = tensors.getFirst().segment();
        if (tensors.size() == 1) {
            return new Row(tensors, first, false);
        }
        long bytes = tensors.stream().mapToLong(Tensor::byteSize).sum();
        return followEachOther(tensors)
                ? new Row(tensors, MemorySegment.ofAddress(first.address()).reinterpret(bytes), false)
                : new Row(tensors, plan.keep(Tensor.allocate(DType.UINT8, bytes)).segment(), true);
    }

    private static boolean followEachOther(List<Tensor> tensors) {
        long next = tensors.getFirst().segment().address();
        for (Tensor tensor : tensors) {
            if (tensor.segment().address() != next) {
                return false;
            }
            next += tensor.byteSize();
        }
        return true;
    }

    /** {@return another row for the same tensors, which is none of their memory, and holds nothing} */
    Row another(Plan plan) {
        long bytes = memory.byteSize();
        return bytes == 0 ? NOTHING : new Row(tensors, plan.keep(Tensor.allocate(DType.UINT8, bytes)).segment(), true);
    }

    long address() {
        return memory.address();
    }

    /** {@return whether a byte is in both} */
    boolean overlaps(Row other) {
        return address() < other.address() + other.memory.byteSize() && other.address() < address() + memory.byteSize();
    }

    private void load() {
        if (isCopy) {
            long at = 0;
            for (Tensor tensor : tensors) {
                MemorySegment.copy(tensor.segment(), 0, memory, at, tensor.byteSize());
                at += tensor.byteSize();
            }
        }
    }

    /** Takes what another row of the same length holds, unless that is this one's memory. */
    void take(Row other) {
        if (address() != other.address()) {
            MemorySegment.copy(other.memory, 0, memory, 0, memory.byteSize());
        }
    }

    /** Puts a copy where it belongs. */
    void store() {
        if (isCopy) {
            long at = 0;
            for (Tensor tensor : tensors) {
                MemorySegment.copy(memory, at, tensor.segment(), 0, tensor.byteSize());
                at += tensor.byteSize();
            }
        }
    }
}
