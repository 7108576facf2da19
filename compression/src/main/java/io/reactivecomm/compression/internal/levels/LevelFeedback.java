package io.reactivecomm.compression.internal.levels;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.reduce.Compressed;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The state around both levels of a quantised reduce-scatter. */
public interface LevelFeedback {

    /** The place of the level between the ranks of a host. */
    int WITHIN = 0;

    /** The place of the level between hosts. */
    int ACROSS = 1;

    /**
     * {@return the call, with what is kept for it}
     *
     * @param levels both levels, given their encoders by place; it emits the facts of a call without state
     */
    Mono<Compressed> around(ProcessGroup inside, Tensor values, Function<List<ChunkEncoder>, Mono<Compressed>> levels);
}
