package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Scatter;
import java.util.List;

/**
 * The layout of a gather's or scatter's parts at the root. NCCL performs the call as one only if the parts are equally long and adjacent in memory.
 *
 * @param root the root's rank in its group
 * @param isRegular whether the parts at the root are equally long and adjacent
 */
record RootPart(int root, boolean isRegular) {

    /** {@return the parts of a call; of a scope in the order of its calls} */
    static List<RootPart> of(Collective call) {
        return switch (call) {
            case Coalesced scope ->
                scope.members().stream().flatMap(member -> of(member).stream()).toList();
            case Gather gather -> List.of(new RootPart(gather.root(), isRegular(gather.outputs())));
            case Scatter scatter -> List.of(new RootPart(scatter.root(), isRegular(scatter.inputs())));
            default -> List.of();
        };
    }

    private static boolean isRegular(List<Tensor> tensors) {
        boolean areAlike = tensors.stream().mapToLong(Tensor::count).distinct().count() == 1;
        return areAlike && NcclRow.followEachOther(tensors);
    }
}
