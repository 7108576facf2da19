package io.reactivecomm.compression.reduce;

import io.reactivecomm.ProcessGroup;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The end of a compressed call on one rank, good or not. */
record End(@Nullable Compressed done, @Nullable Throwable error) {

    /** {@return those of a call that all ranks make together, in rank order} */
    static List<End> ofAll(List<ProcessGroup> groups, Duration limit, Function<ProcessGroup, Mono<Compressed>> call) {
        return Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(
                        group -> call.apply(group)
                                .map(done -> new End(done, null))
                                .onErrorResume(error -> Mono.just(new End(null, error))),
                        groups.size())
                .collectList()
                .block(limit));
    }
}
