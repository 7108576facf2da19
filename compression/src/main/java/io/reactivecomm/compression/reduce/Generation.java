package io.reactivecomm.compression.reduce;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;

/**
 * The state of one name after a step, or memory for it.
 *
 * @param step how many steps have gone well
 * @param codec of the next step: some adapt
 * @param worker what encoding this rank's elements has lost
 * @param server what encoding the sums of this rank's part has lost
 */
record Generation(long step, Codec codec, Tensor worker, Tensor server) {

    Generation at(long other, Codec adapted) {
        return new Generation(other, adapted, worker, server);
    }

    Generation withErrorsOf(Generation other) {
        return new Generation(step, codec, other.worker, other.server);
    }

    void close() {
        worker.close();
        server.close();
    }
}
