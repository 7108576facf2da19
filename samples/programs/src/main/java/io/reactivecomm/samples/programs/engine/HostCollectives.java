package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * Collectives of tensors that one thread can reach, as plainly as can be: it reads all ranks' inputs into rows of its own, and writes the results. It is
 * what stands for the library in {@link MemoryEngine}, where NCCL or MPI would be called.
 *
 * <p><b>Threads.</b> Any.
 */
final class HostCollectives {

    private HostCollectives() {}

    /**
     * Performs one call.
     *
     * @param ranks the call as each rank issued it, in group order
     */
    static void perform(List<Collective> ranks) {
        int size = ranks.size();
        Collective first = ranks.getFirst();
        int root = first.signature().root();
        switch (first.operation()) {
            case ALL_REDUCE -> {
                MemorySegment sum = folded(ranks);
                ranks.forEach(each -> write(sum, each.outputRow(size)));
            }
            case REDUCE -> write(folded(ranks), ranks.get(root).outputRow(size));
            case BROADCAST -> {
                MemorySegment all = row(ranks.get(root).inputRow(size));
                ranks.forEach(each -> write(all, each.outputRow(size)));
            }
            case ALL_GATHER -> {
                MemorySegment all = row(ranks.stream()
                        .flatMap(each -> each.inputRow(size).stream())
                        .toList());
                ranks.forEach(each -> write(all, each.outputRow(size)));
            }
            case REDUCE_SCATTER -> {
                MemorySegment sum = folded(ranks);
                Partition parts = first.partitions(size).input();
                for (int rank = 0; rank < size; rank++) {
                    write(part(sum, first, parts, rank), ranks.get(rank).outputRow(size));
                }
            }
            default ->
                throw new IllegalArgumentException("not a call that is performed here: call=" + first.describe());
        }
    }

    private static MemorySegment part(MemorySegment row, Collective call, Partition parts, int rank) {
        long width = call.signature().type().byteSize();
        return row.asSlice(parts.from(rank) * width, parts.count(rank) * width);
    }

    /** {@return the reduction of all ranks' inputs: left-folded in rank order, one rounding a step, as on links} */
    private static MemorySegment folded(List<Collective> ranks) {
        Collective first = ranks.getFirst();
        DType type = first.signature().type();
        MemorySegment[] inputs =
                ranks.stream().map(each -> row(each.inputRow(ranks.size()))).toArray(MemorySegment[]::new);
        MemorySegment sum = MemorySegment.ofArray(new byte[(int) inputs[0].byteSize()]);
        FoldKernel kernel = Kernels.of(type, Objects.requireNonNull(first.reduction()));
        kernel.fold(
                sum, inputs, new boolean[inputs.length], inputs.length, sum.byteSize() / type.byteSize(), ranks.size());
        return sum;
    }

    /** {@return a copy of tensors, one after the other} */
    private static MemorySegment row(List<Tensor> tensors) {
        MemorySegment row = MemorySegment.ofArray(
                new byte
                        [tensors.stream()
                                .mapToInt(each -> (int) each.byteSize())
                                .sum()]);
        long from = 0;
        for (Tensor each : tensors) {
            MemorySegment.copy(each.segment(), 0, row, from, each.byteSize());
            from += each.byteSize();
        }
        return row;
    }

    private static void write(MemorySegment row, List<Tensor> tensors) {
        long from = 0;
        for (Tensor each : tensors) {
            MemorySegment.copy(row, from, each.segment(), 0, each.byteSize());
            from += each.byteSize();
        }
    }
}
