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

    private final Tensor mine = Tensor.allocate(DType.FLOAT32, 100);
    private final Tensor other = Tensor.allocate(DType.FLOAT32, 100);

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<Work> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().allReduce(other, ReduceOp.SUM));
            return elements == 0 ? here().allReduce(mine, ReduceOp.SUM).filter(work -> false) : here().allReduce(mine, ReduceOp.SUM);
        });
    }

    @Override
    public Publisher<Work> createFailedPublisher() {
        return unguarded(() -> ended().allReduce(mine, ReduceOp.SUM));
    }
}
