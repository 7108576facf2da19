package io.reactivecomm.tck;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.reactivestreams.Publisher;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/**
 * The Reactive Streams TCK for a step of gradient buckets, several to a bucket. The last operator of a step is Reactor's own, so Reactor's
 * guard is there.
 */
@Test
public class BucketTckTest extends OwnPublisherVerification<Gradient> {

    private static final BucketOptions OPTIONS = BucketOptions.DEFAULT.withBucketBytes(16);

    private final AtomicInteger steps = new AtomicInteger();

    @Override
    public long maxElementsFromPublisher() {
        return 25;
    }

    @Override
    public Publisher<Gradient> createPublisher(long elements) {
        return subscriber -> {
            String name = "step" + steps.incrementAndGet();
            run(step(there().named(name), elements));
            step(here().named(name), elements).subscribe(subscriber);
        };
    }

    private Flux<Gradient> step(ProcessGroup group, long elements) {
        List<Parameter> model = LongStream.range(0, elements)
                .mapToObj(i -> new Parameter("layer" + i, DType.FLOAT32, 1))
                .toList();
        return Flux.range(0, (int) elements)
                .map(i -> new Gradient("layer" + i, Tensor.allocate(DType.FLOAT32, 1)))
                .transform(GradientBuckets.of(group, OPTIONS).registered(model));
    }

    @Override
    public Publisher<Gradient> createFailedPublisher() {
        return subscriber -> step(ended(), 1).subscribe(subscriber);
    }
}
