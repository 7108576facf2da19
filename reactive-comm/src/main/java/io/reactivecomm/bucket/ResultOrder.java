package io.reactivecomm.bucket;

/** In which order reduced gradients come back. */
public enum ResultOrder {
    /** Each as soon as its bucket is done. Ranks may see different orders. */
    COMPLETION,
    /** In the order of registration, the same on all ranks: a bucket that is done early waits, by reference, for those before it. */
    PARAMETER
}
