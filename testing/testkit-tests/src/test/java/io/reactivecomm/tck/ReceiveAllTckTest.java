package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The Reactive Streams TCK for the receiving end of a stream. */
@Test
public class ReceiveAllTckTest extends OwnPublisherVerification<Tensor> {

    private final Tensor tensor = Tensor.allocate(DType.INT32, 3);

    @Override
    public Publisher<Tensor> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().sendAll(Flux.<Tensor>generate(sink -> sink.next(tensor)).take(elements), 0, 0));
            return here().receiveAll(1, 0);
        });
    }

    @Override
    public Publisher<Tensor> createFailedPublisher() {
        return unguarded(() -> ended().receiveAll(1, 0));
    }
}
