package io.reactivecomm;

import java.util.List;
import reactor.core.publisher.Mono;

/** A group's view in a run of a composite call, whose body may have more to do after its last call. */
public interface CompositeView {

    /** The body makes no further call: ranks that wait for one are told, although the run may still fail. Idempotent. On any thread. */
    void noFurtherCalls();

    /**
     * {@return completes when the run has ended on this rank and no call in it is in flight, also if its subscriber has cancelled} Calls that were subscribed to after the run
     * had ended are refused; those before the subscription to this have ended, too.
     */
    Mono<Void> callsEnded();

    /**
     * Claims memory for the run, on any thread. Calls inside the run may use it; other calls of this rank that need it fail.
     *
     * @param operation the operation, for errors
     * @param name the name of what claims, for errors, which add the run as a step of the composite call, such as {@code step 3 of gradient buckets grads#0}
     * @return an action that ends the claim, which may be before the run's end
     * @throws InvalidCallException if a claim of a call in flight conflicts
     */
    Runnable claim(String operation, String name, List<Tensor> reads, List<Tensor> writes);
}
