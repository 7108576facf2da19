package io.reactivecomm.samples.bench.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketReducer;
import io.reactivecomm.nccl.cuda.CudaTensor;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The all-reduce of buckets on a device, with the times at which a bucket is whole there, and reduced. The library's stream is its own: a stream of the
 * program's for each bucket waits for what is on the bucket's memory, and takes the time.
 *
 * <pre>
 *   compute        │ layer 4 │ layer 3 │ layer 2 │ …
 *   communication            ├─ all-reduce ─┤
 *   watching       ─ waits ──^ from          ^ to
 * </pre>
 *
 * <p>A bucket's call is begun when the one before it is on the stream. The host is far ahead of the device: begun together they would be one group of NCCL's,
 * which begins when the last of its buckets is whole.
 */
final class TimedReducer implements BucketReducer {

    private final List<CUstream> watching;
    private volatile @Nullable DeviceClock clock;
    private CompletableFuture<Void> isEnqueued = CompletableFuture.completedFuture(null);

    /** @param watching a stream for each bucket, at least */
    TimedReducer(List<CUstream> watching) {
        this.watching = List.copyOf(watching);
    }

    /** Times go there from here on. */
    void tell(DeviceClock step) {
        clock = step;
    }

    @Override
    public String label() {
        return "all-reduce, timed on the device";
    }

    @Override
    public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
        DeviceClock step = Objects.requireNonNull(clock);
        CudaTensor tensor = (CudaTensor) bucket.tensor();
        CUstream stream = watching.get(bucket.index());
        tensor.awaitedBy(stream);
        CUevent from = step.mark(stream);
        CompletableFuture<Void> own = new CompletableFuture<>();
        return Mono.fromFuture(behind(own), true)
                .then(Mono.defer(() -> group.enqueued().allReduce(tensor, bucket.reduction())))
                .doOnNext(work -> {
                    tensor.awaitedBy(stream);
                    step.reduced("bucket " + bucket.index(), from, step.mark(stream));
                })
                .doFinally(end -> own.complete(null));
    }

    /** {@return the one before, whose place this takes: buckets begin in their order} */
    private synchronized CompletableFuture<Void> behind(CompletableFuture<Void> own) {
        CompletableFuture<Void> before = isEnqueued;
        isEnqueued = own;
        return before;
    }
}
