package io.reactivecomm.internal.composite;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import java.util.List;
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
     * A supplier that throws a {@link io.reactivecomm.CommException} refuses the call, on every rank whose call is unfinished.
     */
    Mono<Work> next(Supplier<Collective> call);

    /** {@return the same, with a supplier that would hold the loop and runs beside it} */
    Mono<Work> nextAside(Supplier<Collective> call);

    /** {@return the result of other work that would hold the loop, done beside it at each subscription and emitted on it} */
    <T> Mono<T> aside(Supplier<T> work);

    /**
     * Claims tensors that are borrowed, to be read: no call of this rank that is not one of these may write them.
     *
     * @return what ends the claim
     * @throws io.reactivecomm.InvalidCallException if a call in flight writes them
     */
    Runnable claim(List<Tensor> reads);

    /**
     * {@return the end of all calls; no further one is made}
     * What fails after it is this rank's own matter: the others have their results.
     */
    Mono<Void> over();

    /** {@return whether this is the loop's thread, where what is fatal to the JVM ends the worlds} */
    boolean isOnLoop();
}
