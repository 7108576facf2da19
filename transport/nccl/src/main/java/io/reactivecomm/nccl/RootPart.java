package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Scatter;
import java.util.List;

/**
 * The parts of a gather or a scatter as their root has them: NCCL performs it whole only if they are equally long and follow each other in memory.
 *
 * @param root in its group
 * @param isRegular at the root: whether they are so
 */
record RootPart(int root, boolean isRegular) {

    /** {@return those of a call, in the order of the calls of a scope} */
    static List<RootPart> of(Collective call) {
        return switch (call) {
            case Coalesced scope -> scope.members().stream().flatMap(member -> of(member).stream()).toList();
            case Gather gather -> List.of(new RootPart(gather.root(), isRegular(gather.outputs())));
            case Scatter scatter -> List.of(new RootPart(scatter.root(), isRegular(scatter.inputs())));
            default -> List.of();
        };
    }

    private static boolean isRegular(List<Tensor> tensors) {
        boolean areAlike = tensors.stream().mapToLong(Tensor::count).distinct().count() == 1;
        return areAlike && Row.followEachOther(tensors);
    }
}
