package io.reactivecomm.train;

/** The number by which averages are divided while ranks have uneven inputs ({@link GradientHooks#withUnevenInputs}). Sums are not divided. */
public enum Divisor {
    /** The size of the group, as in every other step: samples of a rank that trains longer weigh no more than before. torch's {@code divide_by_initial_world_size=True}. */
    WORLD_SIZE,
    /** The number of ranks that still have inputs, whether or not each had this gradient: the sum over ranks is scaled as it leaves its bucket. torch's {@code divide_by_initial_world_size=False}. */
    ACTIVE_RANKS
}
