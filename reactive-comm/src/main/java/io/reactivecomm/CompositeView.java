package io.reactivecomm;

/** A group's view in a run of a composite call, whose body may have more to do after its last call. */
public interface CompositeView {

    /** The body makes no further call: ranks that wait for one are told, although the run may still fail. Idempotent. On any thread. */
    void noFurtherCalls();
}
