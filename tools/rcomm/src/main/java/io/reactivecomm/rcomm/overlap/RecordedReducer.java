package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.train.BucketReducer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A reducer whose reductions are noted, whatever calls they are made of. */
record RecordedReducer(BucketReducer reducer, UnaryOperator<Mono<Work>> noted) implements BucketReducer {

    @Override
    public String label() {
        return reducer.label();
    }

    @Override
    public @Nullable String refusal(DType type) {
        return reducer.refusal(type);
    }

    @Override
    public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
        return noted.apply(reducer.reduce(group, bucket));
    }

    @Override
    public void ended(List<Integer> buckets) {
        reducer.ended(buckets);
    }
}
