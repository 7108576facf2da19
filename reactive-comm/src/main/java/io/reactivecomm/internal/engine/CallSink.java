package io.reactivecomm.internal.engine;

import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;

/** Takes the end of one call, once. Called on the loop after the engine has let go of the call's tensors. */
public interface CallSink {

    /** The result is in the tensors. */
    void succeeded(Work work);

    /** The call failed; what an output tensor holds is unspecified. */
    void failed(Failure failure);
}
