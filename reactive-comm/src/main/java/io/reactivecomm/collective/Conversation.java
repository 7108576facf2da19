package io.reactivecomm.collective;

import io.reactivecomm.Work;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Collectives that follow each other as one operation, each under an identity that was fixed when the operation was assembled.
 *
 * <p>A rank that fails between two of them tells the others, who wait for the next one, why.
 */
public interface Conversation {

    /** {@return this process's place in the group} */
    int rank();

    /** {@return the number of ranks in the group} */
    int size();

    /**
     * {@return the next call, cold}
     * A supplier that throws a {@link io.reactivecomm.CommException} refuses the call on all ranks.
     */
    Mono<Work> next(Supplier<Collective> call);
}
