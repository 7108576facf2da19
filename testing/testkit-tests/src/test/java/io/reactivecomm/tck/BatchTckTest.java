package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.util.List;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;

/** The Reactive Streams TCK for a batch of messages. */
@Test
public class BatchTckTest extends OwnPublisherVerification<List<Work>> {

    private final Tensor sent = Tensor.allocate(DType.FLOAT32, 100);

    @Override
    public long maxElementsFromPublisher() {
        return 1;
    }

    @Override
    public Publisher<List<Work>> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().send(sent, 0, 0));
            run(there().receive(received(), 0, 1));
            var batch = here().batch(List.of(here().send(sent, 1, 1), here().receive(received(), 1, 0)));
            return elements == 0 ? batch.filter(works -> false) : batch;
        });
    }

    @Override
    public Publisher<List<Work>> createFailedPublisher() {
        return unguarded(() -> ended().batch(List.of(ended().send(sent, 1, 0))));
    }

    /** {@return a tensor that no other call in flight has} */
    private static Tensor received() {
        return Tensor.allocate(DType.FLOAT32, 100);
    }
}
