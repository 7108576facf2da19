package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.testkit.WorldContract;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** The resources that a contract keeps until the end of a case: none of them is lost, whichever threads keep them. */
class KeptResourcesTest extends BucketWorld {

    private static final int THREADS = 4;
    private static final int EACH = 10_000;

    @Override
    public WorldContract.World open(int size) {
        return WorldContract.World.of(ReactiveComm.local(size));
    }

    @Test
    void resources_keptOnManyThreads_areAllClosed() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        Flux.range(0, THREADS)
                .flatMap(ignored -> Flux.range(0, EACH)
                        .subscribeOn(Schedulers.boundedElastic())
                        .doOnNext(each -> kept((AutoCloseable) closed::incrementAndGet)))
                .then()
                .block(LIMIT);

        closeBucketsAndTensors();

        assertThat(closed).hasValue(THREADS * EACH);
    }

    @Test
    void resource_thatFailsToClose_isNotClosedAgain() {
        AtomicInteger closed = new AtomicInteger();
        kept((AutoCloseable) () -> {
            closed.incrementAndGet();
            throw new IllegalStateException("planted");
        });

        IntStream.range(0, 2).forEach(ignored -> {
            try {
                closeBucketsAndTensors();
            } catch (Exception e) {
                assertThat(e).hasMessage("planted");
            }
        });

        assertThat(closed).hasValue(1);
    }
}
