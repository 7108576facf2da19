package io.reactivecomm.train;

/** The treatment of a parameter whose gradient only some ranks have. In either case a rank without it contributes zeros. */
public enum MissingGradients {
    /**
     * If at least one rank had the gradient, it comes back on all ranks; if none had it, on none. So replicas apply the same updates. Ranks send one byte for each
     * parameter with its bucket.
     */
    RETURNED,
    /**
     * It comes back only on the ranks that had it. Replicas then differ, unless the program applies an update everywhere. For programs that cannot take a
     * gradient that they did not produce. A reducer with error feedback treats a gradient that no rank had as zeros.
     */
    LEFT_OUT
}
