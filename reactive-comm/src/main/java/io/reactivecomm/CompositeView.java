package io.reactivecomm;

import java.util.List;

/** A group's view in a run of a composite call, whose body may have more to do after its last call. */
public interface CompositeView {

    /** The body makes no further call: ranks that wait for one are told, although the run may still fail. Idempotent. On any thread. */
    void noFurtherCalls();

    /**
     * Claims memory for the run, on any thread: other calls of this rank are kept from it, and those inside are not.
     *
     * @param operation what is done with it, for errors
     * @param label to what
     * @return what ends the claim, which may be before the run's end
     * @throws InvalidCallException if a call in flight excludes it
     */
    Runnable claim(String operation, String label, List<Tensor> reads, List<Tensor> writes);
}
