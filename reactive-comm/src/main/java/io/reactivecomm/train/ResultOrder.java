package io.reactivecomm.train;

/** The order in which reduced gradients come back from buckets. */
public enum ResultOrder {
    /** Each as soon as its bucket is done. Ranks may see different orders. */
    COMPLETION,
    /** The order of registration, the same on all ranks: the results of a bucket that is done early wait, by reference, for those before it. */
    PARAMETER
}
