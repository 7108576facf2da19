package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for a collective. */
@Test
public class CallTckTest extends OwnPublisherVerification<Work> {

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<Work> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().allReduce(tensor(), ReduceOp.SUM));
            return elements == 0
                    ? here().allReduce(tensor(), ReduceOp.SUM).filter(work -> false)
                    : here().allReduce(tensor(), ReduceOp.SUM);
        });
    }

    @Override
    public Publisher<Work> createFailedPublisher() {
        return unguarded(() -> ended().allReduce(tensor(), ReduceOp.SUM));
    }

    /** {@return one that no other call in flight has} */
    private static Tensor tensor() {
        return Tensor.allocate(DType.FLOAT32, 100);
    }
}
