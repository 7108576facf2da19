package io.reactivecomm.bucket;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The composite call of one bucket, and what its body does. A step that fails takes all of its composite calls with it, but what all ranks have begun in
 * one runs to its end; then the bucket is reduced all the same.
 *
 * <p><b>Threads.</b> Any.
 */
final class BucketCall {

    private final Function<ProcessGroup, Mono<Work>> reduction;
    private volatile @Nullable Mono<Work> begun;

    private BucketCall(Function<ProcessGroup, Mono<Work>> reduction) {
        this.reduction = reduction;
    }

    /**
     * {@return a composite call that is assembled now, to be subscribed to once}
     *
     * @param reduction reduces the bucket by calls through the view that it is given
     */
    static Mono<Work> of(ProcessGroup inside, String operation, Function<ProcessGroup, Mono<Work>> reduction) {
        BucketCall call = new BucketCall(reduction);
        return inside.composite(operation).waitingOnly().mono(call::begin).onErrorResume(call::outcome);
    }

    /** The body is cancelled when the composite call fails, and what it began is not. */
    private Mono<Work> begin(ProcessGroup own) {
        Mono<Work> lasting = reduction.apply(own).cache();
        begun = lasting;
        return lasting;
    }

    private Mono<Work> outcome(Throwable error) {
        Mono<Work> lasting = begun;
        return lasting == null ? Mono.error(error) : lasting.onErrorMap(ignored -> error);
    }
}
