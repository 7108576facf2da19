package io.reactivecomm.mpi;

/**
 * The lengths at which calls go another way, the same on all ranks.
 *
 * @param elements of one of MPI's calls at most
 * @param smallBytes of a call that the loop makes at most
 */
record CallLimits(int elements, long smallBytes) {

    /** MPI counts elements by an int. */
    static final CallLimits USUAL = new CallLimits(Integer.MAX_VALUE, SmallCallRule.SMALL_BYTES);
}
