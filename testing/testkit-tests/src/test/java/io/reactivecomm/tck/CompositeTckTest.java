package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;
import reactor.core.publisher.Mono;

/** The Reactive Streams TCK for a composite call whose body has one result. */
@Test
public class CompositeTckTest extends OwnPublisherVerification<Work> {

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<Work> createPublisher(long elements) {
        return unguarded(() -> {
            run(twoSums(there(), tensor(), elements));
            return twoSums(here(), tensor(), elements);
        });
    }

    @Override
    public Publisher<Work> createFailedPublisher() {
        return unguarded(() -> twoSums(ended(), tensor(), 1));
    }

    private static Mono<Work> twoSums(ProcessGroup group, Tensor tensor, long elements) {
        return group.composite("two sums")
                .mono(inside -> inside.allReduce(tensor, ReduceOp.SUM)
                        .then(Mono.defer(() -> inside.allReduce(tensor, ReduceOp.SUM)))
                        .filter(work -> elements > 0));
    }

    /** {@return one that no other call in flight has} */
    private static Tensor tensor() {
        return Tensor.allocate(DType.FLOAT32, 100);
    }
}
