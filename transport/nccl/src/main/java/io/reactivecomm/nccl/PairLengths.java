package io.reactivecomm.nccl;

import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllToAll;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Scatter;
import java.util.ArrayList;
import java.util.List;

/**
 * The lengths that this rank exchanges with each other one in a call of which nobody else knows them: NCCL takes what differs without a word, or waits for ever.
 *
 * @param describe the call on this rank, for an error
 * @param sends how many elements this rank sends to each
 * @param takes how many it expects from each
 * @param isRegular at a root: whether all parts are equally long and follow each other in memory
 */
record PairLengths(String describe, long[] sends, long[] takes, boolean isRegular) {

    /** {@return those of a call, in the order of the calls of a scope; none if all ranks agree by what they have compared} */
    static List<PairLengths> of(Collective call, int rank, int size) {
        return switch (call) {
            case Coalesced scope -> ofAll(scope.members(), rank, size);
            case AllToAll exchange when !exchange.signature().isEven() ->
                List.of(new PairLengths(
                        exchange.describe(), counts(exchange.partitions(size).input()), counts(exchange.partitions(size).output()), false));
            case Gather gather -> List.of(new PairLengths(
                    gather.describe(),
                    only(gather.root(), gather.input().count(), size),
                    rank == gather.root() ? counts(gather.partitions(size).output()) : new long[size],
                    isRegular(gather.outputs())));
            case Scatter scatter -> List.of(new PairLengths(
                    scatter.describe(),
                    rank == scatter.root() ? counts(scatter.partitions(size).input()) : new long[size],
                    only(scatter.root(), scatter.output().count(), size),
                    isRegular(scatter.inputs())));
            default -> List.of();
        };
    }

    private static List<PairLengths> ofAll(List<Collective> members, int rank, int size) {
        List<PairLengths> all = new ArrayList<>();
        members.forEach(member -> all.addAll(of(member, rank, size)));
        return all;
    }

    private static long[] counts(Partition partition) {
        long[] counts = new long[partition.parts()];
        for (int part = 0; part < counts.length; part++) {
            counts[part] = partition.count(part);
        }
        return counts;
    }

    private static long[] only(int whose, long count, int size) {
        long[] counts = new long[size];
        counts[whose] = count;
        return counts;
    }

    private static boolean isRegular(List<Tensor> tensors) {
        boolean areAlike = tensors.stream().mapToLong(Tensor::count).distinct().count() == 1;
        return areAlike && Row.followEachOther(tensors);
    }
}
