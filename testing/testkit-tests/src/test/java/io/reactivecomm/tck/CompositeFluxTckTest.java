package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The Reactive Streams TCK for a composite call whose body is a stream. */
@Test
public class CompositeFluxTckTest extends OwnPublisherVerification<Work> {

    @Override
    public long maxElementsFromPublisher() {
        return 20;
    }

    @Override
    public Publisher<Work> createPublisher(long elements) {
        return unguarded(() -> {
            run(sums(there(), tensor(), elements));
            return sums(here(), tensor(), elements);
        });
    }

    @Override
    public Publisher<Work> createFailedPublisher() {
        return unguarded(() -> sums(ended(), tensor(), 1));
    }

    private static Flux<Work> sums(ProcessGroup group, Tensor tensor, long count) {
        return group.composite("sums")
                .flux(inside -> Flux.range(0, (int) count)
                        .concatMap(i -> Mono.defer(() -> inside.allReduce(tensor, ReduceOp.SUM)), 1));
    }

    /** {@return one that no other call in flight has} */
    private static Tensor tensor() {
        return Tensor.allocate(DType.FLOAT32, 100);
    }
}
