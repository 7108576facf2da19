package io.reactivecomm.nccl;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Loop;

/**
 * The things that all launches of one rank have in common.
 *
 * @param control the world over links
 * @param loop what waits there for the cause of a failure
 * @param abilities what the libraries of all ranks can
 * @param memory what NCCL allocates
 */
record LaunchContext(
        NcclSetup setup, NcclCalls calls, LaunchStream stream, ProcessGroup control, Loop loop, Abilities abilities, NcclMemory memory) {

    /** As long as ranks take to tell each other of a failure, or of a rank that is gone. */
    private static final long ECHO_NANOS = 1_000_000_000;

    /** Fails a call in which something was thrown. That another rank has failed is told only if that rank does not say itself what it was. */
    void fail(LiveCall call, Throwable cause) {
        boolean isEcho = cause instanceof NcclException error && error.result() == NcclResult.REMOTE_ERROR;
        if (isEcho) {
            failLater(call, Faults.of(call, cause));
        } else {
            call.fail(Faults.of(call, cause));
        }
    }

    /** Fails a call whose communicator has been given up: whoever did so says why, or nobody does. */
    void leaveOut(LiveCall call) {
        failLater(call, Faults.ofGivenUp(call));
    }

    private void failLater(LiveCall call, Failure failure) {
        if (call.spoil()) {
            loop.schedule(() -> call.fail(failure), ECHO_NANOS);
        }
    }
}
