package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The Reactive Streams TCK for the sending end of a stream. */
@Test
public class SendAllTckTest extends OwnPublisherVerification<Tensor> {

    @Override
    public Publisher<Tensor> createPublisher(long elements) {
        return unguarded(() -> {
            run(there().receiveAll(0, 0).doOnNext(Tensor::close));
            return here().sendAll(
                            Flux.<Tensor>generate(sink -> sink.next(Tensor.allocate(DType.INT32, 3)))
                                    .take(elements),
                            1,
                            0);
        });
    }

    @Override
    public Publisher<Tensor> createFailedPublisher() {
        return unguarded(() -> ended().sendAll(Flux.never(), 1, 0));
    }
}
