package io.reactivecomm.internal.engine;

import io.reactivecomm.Handle;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;
import java.util.List;

/** Takes the end of one call, once. Called on the loop after the engine has let go of the call's tensors. */
public interface CallSink {

    /** The result is in the tensors. */
    void succeeded(Work work);

    /** The call failed; what an output tensor holds is unspecified. */
    void failed(Failure failure);

    /** The account that a call of any engine ends well with. */
    record Success(
            String operation,
            List<Tensor> tensors,
            long sequence,
            long byteSize,
            long durationNanos,
            String backend,
            String algorithm,
            int peer,
            Handle handle)
            implements Work {

        /** Of a call whose result is in the tensors. */
        public Success(
                String operation,
                List<Tensor> tensors,
                long sequence,
                long byteSize,
                long durationNanos,
                String backend,
                String algorithm,
                int peer) {
            this(operation, tensors, sequence, byteSize, durationNanos, backend, algorithm, peer, Handle.DONE);
        }
    }

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
