package io.reactivecomm.internal.engine;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.spi.Failure;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the end of one call, once. Called on the loop after the engine has let go of the call's tensors. */
public interface CallSink {

    /** The result is in the tensors. */
    void succeeded(Work work);

    /** The call failed; what an output tensor holds is unspecified. */
    void failed(Failure failure);

    /** {@return what tells of the call, or null if nobody observes it} */
    default @Nullable Observation observation() {
        return null;
    }

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
            Handle handle,
            String name,
            int groupSize,
            @Nullable Observation observation)
            implements Work {

        /** Put together when somebody asks: nearly nobody does. */
        @Override
        public Optional<CallPhases> phases() {
            return Optional.ofNullable(observation).map(Observation::phases);
        }

        /** Of a call whose result is in the tensors. */
        public Success(
                String operation,
                List<Tensor> tensors,
                long sequence,
                long byteSize,
                long durationNanos,
                String backend,
                String algorithm,
                int peer,
                String name,
                int groupSize,
                @Nullable Observation observation) {
            this(
                    operation,
                    tensors,
                    sequence,
                    byteSize,
                    durationNanos,
                    backend,
                    algorithm,
                    peer,
                    Handle.DONE,
                    name,
                    groupSize,
                    observation);
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
