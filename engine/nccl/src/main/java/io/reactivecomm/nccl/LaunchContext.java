package io.reactivecomm.nccl;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.Failure;

/**
 * The things that all launches of one rank have in common.
 *
 * @param control the world over links
 * @param later where the words for a failure wait for better ones
 * @param abilities what the libraries of all ranks can
 * @param memory what NCCL allocates
 */
record LaunchContext(
        NcclSetup setup,
        NcclCalls calls,
        LaunchStream stream,
        ProcessGroup control,
        Later later,
        Abilities abilities,
        NcclMemory memory) {

    /** Runs something once, after a delay. */
    interface Later {

        void run(Runnable task, long nanos);
    }

    /** As long as ranks take to tell each other of a failure, or of a rank that is gone. */
    private static final long ECHO_NANOS = 2_000_000_000;

    /** Fails a call in which something was thrown. */
    void fail(NcclCall call, Throwable cause) {
        Failure failure = NcclFailures.of(call, cause);
        if (call.spoil()) {
            tell(cause, () -> call.fail(failure));
        }
    }

    /** Tells of what was thrown; that another rank has failed is told only if that rank has not said itself what it was, a while later. */
    void tell(Throwable cause, Runnable telling) {
        if (cause instanceof NcclException error && error.result() == NcclResult.REMOTE_ERROR) {
            later.run(telling, ECHO_NANOS);
        } else {
            telling.run();
        }
    }
}
