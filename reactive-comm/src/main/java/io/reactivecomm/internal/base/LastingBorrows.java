package io.reactivecomm.internal.base;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/**
 * The borrows of tensors that a library may touch after the call has ended, or the program has gone on. They are kept from the garbage collector here, which would
 * free the memory under the library's hands where nobody else holds the tensors any more: for good, if the library never lets go.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LastingBorrows {

    private static final Set<Runnable> OUTSTANDING = ConcurrentHashMap.newKeySet();

    private LastingBorrows() {}

    /**
     * Ends a borrow when that completes, and not if it fails: then it is not known who touches the memory.
     *
     * @param giveBack ends the borrow of the tensors, which it holds; one of its own for each borrow
     */
    public static void until(Mono<Void> released, Runnable giveBack) {
        OUTSTANDING.add(giveBack);
        released.subscribe(ignored -> {}, unknown -> {}, () -> {
            OUTSTANDING.remove(giveBack);
            giveBack.run();
        });
    }
}
