package io.reactivecomm.nccl;

/**
 * The things that the libraries of all ranks of a world can do, so that all choose the same ways.
 *
 * @param splits whether a communicator can be split
 * @param movesWhole whether all-to-all, gather and scatter are there; else messages do it
 * @param multiplies whether there are sums that multiply first
 */
record Abilities(boolean splits, boolean movesWhole, boolean multiplies) {

    static Abilities of(NcclLibrary library) {
        boolean movesWhole = library.has(NcclFunction.ALL_TO_ALL)
                && library.has(NcclFunction.GATHER)
                && library.has(NcclFunction.SCATTER);
        boolean multiplies =
                library.has(NcclFunction.RED_OP_CREATE_PRE_MUL_SUM) && library.has(NcclFunction.RED_OP_DESTROY);
        return new Abilities(library.has(NcclFunction.COMM_SPLIT), movesWhole, multiplies);
    }

    /** {@return what both can} */
    Abilities and(Abilities other) {
        return new Abilities(splits && other.splits, movesWhole && other.movesWhole, multiplies && other.multiplies);
    }
}
