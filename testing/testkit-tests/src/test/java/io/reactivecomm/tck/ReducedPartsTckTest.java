package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.List;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for the parts of a reduce-scatter: one, as it is so short; else demand decides how many there are. */
@Test
public class ReducedPartsTckTest extends OwnPublisherVerification<Part> {

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<Part> createPublisher(long elements) {
        return unguarded(() -> {
            run(parts(there(), elements));
            return parts(here(), elements);
        });
    }

    private static Publisher<Part> parts(ProcessGroup group, long elements) {
        Tensor input = Tensor.allocate(DType.INT32, elements);
        return group.reduceScatterParts(List.of(input, input), Tensor.allocate(DType.INT32, elements), ReduceOp.SUM);
    }

    @Override
    public Publisher<Part> createFailedPublisher() {
        return unguarded(() -> parts(ended(), 1));
    }
}
