package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.nccl.cuda.CudaTensor;
import io.reactivecomm.train.BucketReducer;
import java.util.List;
import java.util.Objects;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The all-reduce of buckets on a device, with the times at which a bucket is whole there, and reduced. The library's stream is its own: a stream of
 * the program's for each bucket waits for what is on the bucket's memory, and takes the time.
 *
 * <pre>
 *   compute        │ layer 4 │ layer 3 │ layer 2 │ …
 *   communication            ├─ all-reduce ─┤
 *   watching       ─ waits ──^ from          ^ to
 * </pre>
 */
final class TimedReducer implements BucketReducer {

    private final List<CUstream> watching;
    private volatile @Nullable DeviceClock clock;

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
        return group.enqueued().allReduce(tensor, bucket.reduction()).doOnNext(work -> {
            tensor.awaitedBy(stream);
            step.reduced("bucket " + bucket.index(), from, step.mark(stream));
        });
    }
}
