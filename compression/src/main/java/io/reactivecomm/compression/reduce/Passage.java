package io.reactivecomm.compression.reduce;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import reactor.core.publisher.Mono;

/** One step's way of its elements through the ranks, by one {@link Route}. */
interface Passage {

    /** {@return the end, with the bytes that this rank has sent to others} The sum is in the values then, and what was lost in the next generation. */
    Mono<Long> run();

    /** {@return the codec of the next step} Once the way has been gone. */
    Codec adapted();

    /**
     * The elements of one step, with what earlier ones have lost.
     *
     * @param shape of the elements
     * @param group makes the calls
     * @param values this rank's elements, which the sum replaces; in the host's memory
     * @param weight what each rank's elements are multiplied by
     * @param now what earlier steps have lost
     * @param next takes what this one loses
     */
    record Load(StateShape shape, ProcessGroup group, Tensor values, double weight, Generation now, Generation next) {

        Codec codec() {
            return now.codec();
        }

        /** {@return memory for encodings of so many parts of so many elements} */
        Tensor encodings(int parts, long count) {
            return group.allocate(DType.UINT8, Math.multiplyExact(parts, codec().maxEncodedBytes(count)));
        }
    }
}
