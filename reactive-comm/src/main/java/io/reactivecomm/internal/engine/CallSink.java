package io.reactivecomm.internal.engine;

import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;

/** Takes the end of one call, once. Called on the loop after the engine has let go of the call's tensors. */
public interface CallSink {

    /** The result is in the tensors. */
    void succeeded(Work work);

    /** The call failed; what an output tensor holds is unspecified. */
    void failed(Failure failure);

    /** Also takes the parts of a result as they land, before the end. Told on the loop. */
    interface OfParts extends CallSink {

        /**
         * Elements of the output have their final value.
         *
         * @param from the first of them, in the row of all outputs
         */
        void landed(long from, long count);
    }
}
