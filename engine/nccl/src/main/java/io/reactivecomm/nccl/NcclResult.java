package io.reactivecomm.nccl;

/**
 * The outcome of a function of NCCL, by the numbers that NCCL has for it; another dialect's numbers become these.
 *
 * <p><b>Source.</b> NCCL's {@code nccl.h}: {@code ncclResult_t}.
 */
enum NcclResult {
    SUCCESS,
    /** A function of CUDA failed: of oneCCL's, one of the device or of no known kind. */
    UNHANDLED_CUDA_ERROR,
    SYSTEM_ERROR,
    INTERNAL_ERROR,
    INVALID_ARGUMENT,
    INVALID_USAGE,
    /** Another rank has ended, or the network has failed. */
    REMOTE_ERROR,
    /** No failure: a communicator that does not block has not ended what it was told to do. */
    IN_PROGRESS,
    /** Newest versions only. */
    TIMEOUT,
    /** A failure by a number that is newer than this list; the message of its exception has the number and the library's text. */
    UNKNOWN;

    private static final NcclResult[] NUMBERED = values();

    /** {@return the outcome with NCCL's number} */
    static NcclResult of(int number) {
        return number >= 0 && number < UNKNOWN.ordinal() ? NUMBERED[number] : UNKNOWN;
    }

    /** {@return whether a communicator with this state can still be used, now or later} */
    boolean isSound() {
        return this == SUCCESS || this == IN_PROGRESS;
    }
}
