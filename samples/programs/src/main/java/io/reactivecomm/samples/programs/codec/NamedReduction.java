package io.reactivecomm.samples.programs.codec;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.reduce.Compressed;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.PowerSgd;
import io.reactivecomm.train.BucketReducer;
import reactor.core.publisher.Mono;

/** A compressed all-reduce with its state: of tensors by a name, and of buckets. */
public sealed interface NamedReduction extends AutoCloseable {

    /** {@return itself, for buckets} */
    BucketReducer reducer();

    /** {@return the next step of a name, which sums a tensor in place} */
    Mono<Compressed> sum(ProcessGroup group, String name, Tensor tensor);

    /** Frees the state. */
    @Override
    void close();

    /** A reduction whose elements travel encoded. */
    record Encoded(CompressedAllReduce reducer) implements NamedReduction {

        @Override
        public Mono<Compressed> sum(ProcessGroup group, String name, Tensor tensor) {
            return reducer.allReduce(group, name, tensor, ReduceOp.SUM);
        }

        @Override
        public void close() {
            reducer.close();
        }
    }

    /** A reduction whose matrices travel as factors. */
    record Factored(PowerSgd reducer) implements NamedReduction {

        @Override
        public Mono<Compressed> sum(ProcessGroup group, String name, Tensor tensor) {
            return reducer.allReduce(group, name, tensor, ReduceOp.SUM);
        }

        @Override
        public void close() {
            reducer.close();
        }
    }
}
