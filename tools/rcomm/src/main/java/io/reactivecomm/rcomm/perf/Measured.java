package io.reactivecomm.rcomm.perf;

import io.reactivecomm.Work;
import reactor.core.publisher.Flux;

/** A subject of measuring: calls that can be made again and again, and whose result can be checked. */
interface Measured extends AutoCloseable {

    /** {@return the operation} */
    PerfOp op();

    /** {@return the size as nccl-tests counts it, in bytes} */
    long byteSize();

    /** Writes this rank's input, and clears what was there. */
    void fill();

    /** {@return the calls of one measured round, all of them assembled now} */
    Flux<Work> calls();

    /** {@return how many elements of this rank's result are wrong; meaningful after one round on filled input} */
    long wrongElements();

    /** Frees the tensors. */
    @Override
    void close();
}
