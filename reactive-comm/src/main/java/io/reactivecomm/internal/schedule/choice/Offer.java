package io.reactivecomm.internal.schedule.choice;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Algorithm;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.flat.BinomialBroadcast;
import io.reactivecomm.internal.schedule.flat.BinomialReduce;
import io.reactivecomm.internal.schedule.flat.BruckAllToAll;
import io.reactivecomm.internal.schedule.flat.ChainReduce;
import io.reactivecomm.internal.schedule.flat.DirectAllGather;
import io.reactivecomm.internal.schedule.flat.DirectAllToAll;
import io.reactivecomm.internal.schedule.flat.DirectGather;
import io.reactivecomm.internal.schedule.flat.DirectReduce;
import io.reactivecomm.internal.schedule.flat.DirectScatter;
import io.reactivecomm.internal.schedule.flat.DisseminationBarrier;
import io.reactivecomm.internal.schedule.flat.GatherFoldAllReduce;
import io.reactivecomm.internal.schedule.flat.PairwiseAllToAll;
import io.reactivecomm.internal.schedule.flat.PipelinedChainBroadcast;
import io.reactivecomm.internal.schedule.flat.RankOrderAllReduce;
import io.reactivecomm.internal.schedule.flat.RankOrderReduce;
import io.reactivecomm.internal.schedule.flat.RankOrderReduceScatter;
import io.reactivecomm.internal.schedule.flat.RecursiveDoublingAllReduce;
import io.reactivecomm.internal.schedule.flat.RingAllGather;
import io.reactivecomm.internal.schedule.flat.RingAllReduce;
import io.reactivecomm.internal.schedule.flat.RingReduceScatter;
import io.reactivecomm.internal.schedule.flat.StagedGatherFoldAllReduce;
import io.reactivecomm.internal.schedule.flat.StarBarrier;
import io.reactivecomm.internal.schedule.hosts.HierarchicalBinomialBroadcast;
import io.reactivecomm.internal.schedule.hosts.HierarchicalChainAllReduce;
import io.reactivecomm.internal.schedule.hosts.HierarchicalChainBroadcast;
import io.reactivecomm.internal.schedule.hosts.HierarchicalChainReduce;
import io.reactivecomm.internal.schedule.hosts.HierarchicalChainReduceScatter;
import io.reactivecomm.internal.schedule.hosts.HierarchicalDirectAllGather;
import io.reactivecomm.internal.schedule.hosts.HierarchicalDirectAllReduce;
import io.reactivecomm.internal.schedule.hosts.HierarchicalRingAllReduce;
import io.reactivecomm.internal.schedule.hosts.HierarchicalRingReduceScatter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * An algorithm for an operation, with what it asks of a call.
 *
 * @param needs what a call must have for the algorithm to run it, or to run it with the bits of the rank order
 */
public record Offer(Operation operation, Algorithm algorithm, Set<Need> needs) {

    /** A property that an algorithm may ask of a call. */
    public enum Need {
        /** Another order or bracketing of the operands gives the same bits: the algorithm does not keep the rank order. */
        ASSOCIATIVE,
        /** Parts of one length. */
        EVEN,
        /** Transfers that need no grant: a fold waits for sends. */
        EAGER,
        /** Hosts whose ranks follow one another: what one host folds is part of the fold in rank order. */
        CONSECUTIVE
    }

    /** The first of an operation serves every call. */
    private static final List<Offer> ALL = List.of(
            offer(Operation.ALL_REDUCE, new RankOrderAllReduce()),
            offer(Operation.ALL_REDUCE, new GatherFoldAllReduce(), Need.EAGER),
            offer(Operation.ALL_REDUCE, new StagedGatherFoldAllReduce()),
            offer(Operation.ALL_REDUCE, new RecursiveDoublingAllReduce(), Need.ASSOCIATIVE),
            offer(Operation.ALL_REDUCE, new RingAllReduce(), Need.ASSOCIATIVE),
            offer(Operation.ALL_REDUCE, new HierarchicalChainAllReduce(), Need.CONSECUTIVE),
            offer(Operation.ALL_REDUCE, new HierarchicalDirectAllReduce()),
            offer(Operation.ALL_REDUCE, new HierarchicalRingAllReduce(), Need.ASSOCIATIVE),
            offer(Operation.INFERENCE_ALL_REDUCE, new RankOrderAllReduce()),
            offer(Operation.INFERENCE_ALL_REDUCE, new GatherFoldAllReduce(), Need.EAGER),
            offer(Operation.INFERENCE_ALL_REDUCE, new StagedGatherFoldAllReduce()),
            offer(Operation.INFERENCE_ALL_REDUCE, new HierarchicalDirectAllReduce()),
            offer(Operation.REDUCE, new DirectReduce()),
            offer(Operation.REDUCE, new RankOrderReduce()),
            offer(Operation.REDUCE, new ChainReduce()),
            offer(Operation.REDUCE, new BinomialReduce(), Need.ASSOCIATIVE),
            offer(Operation.REDUCE, new HierarchicalChainReduce(), Need.CONSECUTIVE),
            offer(Operation.BROADCAST, new BinomialBroadcast()),
            offer(Operation.BROADCAST, new PipelinedChainBroadcast()),
            offer(Operation.BROADCAST, new HierarchicalBinomialBroadcast()),
            offer(Operation.BROADCAST, new HierarchicalChainBroadcast()),
            offer(Operation.ALL_GATHER, new DirectAllGather()),
            offer(Operation.ALL_GATHER, new RingAllGather()),
            offer(Operation.ALL_GATHER, new HierarchicalDirectAllGather()),
            offer(Operation.REDUCE_SCATTER, new RankOrderReduceScatter()),
            offer(Operation.REDUCE_SCATTER, new RingReduceScatter(), Need.ASSOCIATIVE),
            offer(Operation.REDUCE_SCATTER, new HierarchicalChainReduceScatter(), Need.CONSECUTIVE),
            offer(Operation.REDUCE_SCATTER, new HierarchicalRingReduceScatter(), Need.ASSOCIATIVE),
            offer(Operation.ALL_TO_ALL, new DirectAllToAll()),
            offer(Operation.ALL_TO_ALL, new PairwiseAllToAll()),
            offer(Operation.ALL_TO_ALL, new BruckAllToAll(), Need.EVEN),
            offer(Operation.GATHER, new DirectGather()),
            offer(Operation.SCATTER, new DirectScatter()),
            offer(Operation.BARRIER, new DisseminationBarrier()),
            offer(Operation.MONITORED_BARRIER, new StarBarrier()),
            offer(Operation.NEW_GROUP, new DisseminationBarrier()));

    public Offer {
        needs = Set.copyOf(needs);
    }

    private static Offer offer(Operation operation, Algorithm algorithm, Need... needs) {
        return new Offer(operation, algorithm, Set.copyOf(Arrays.asList(needs)));
    }

    /** {@return the algorithms for an operation; the first serves every call} */
    public static List<Offer> of(Operation operation) {
        return ALL.stream().filter(offer -> offer.operation == operation).toList();
    }

    /** {@return the shortest row that takes it, such as {@code all-reduce=ring}} */
    public String row() {
        return SelectionRow.label(operation) + "=" + name();
    }

    /** {@return the algorithm's name} */
    public String name() {
        return algorithm.name();
    }

    /**
     * {@return whether the algorithm can run such a call}
     *
     * @param eagerBytes the largest transfer that travels without a grant
     */
    public boolean runs(Signature signature, Layout layout, long eagerBytes) {
        return needs.stream().allMatch(need -> switch (need) {
            case ASSOCIATIVE -> true;
            case EVEN -> signature.count() != Signature.UNEVEN;
            case EAGER ->
                layout.size() == 1
                        || signature.count() <= eagerBytes / signature.type().byteSize();
            case CONSECUTIVE -> layout.isConsecutive();
        });
    }

    /** {@return whether the algorithm gives such a call the bits of the fold in rank order} */
    public boolean keepsBits(Signature signature) {
        return !needs.contains(Need.ASSOCIATIVE) || isAssociative(signature);
    }

    /** Of the reductions that have a name here only those of rounded arithmetic are not; of a caller's own nothing is known. */
    private static boolean isAssociative(Signature signature) {
        String reduction = signature.reduction();
        if (reduction == null || reduction.equals(ReduceOp.MIN.label()) || reduction.equals(ReduceOp.MAX.label())) {
            return true;
        }
        boolean isRounded = signature.type().family() == DType.Family.FLOAT;
        return !isRounded
                && Arrays.stream(ReduceOp.values()).anyMatch(op -> op.label().equals(reduction));
    }
}
