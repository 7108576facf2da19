package io.reactivecomm.internal.base;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

/**
 * The borrows of tensors that a library may touch after the call has ended, or the program has gone on. They are kept from the garbage collector here, which would
 * free the memory under the library's hands where nobody else holds the tensors any more: for good, if the library never lets go.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LastingBorrows {

    private static final Set<Runnable> OUTSTANDING = ConcurrentHashMap.newKeySet();

    private static final Logger LOG = Warnings.of(LastingBorrows.class);

    private LastingBorrows() {}

    /**
     * Ends a borrow when that completes, and not if it fails, or cannot be had: then it is not known who touches the memory.
     *
     * @param released what a library's handle says, which may throw
     * @param giveBack ends the borrow of the tensors, which it holds; one of its own for each borrow
     */
    public static void until(Supplier<Mono<Void>> released, Runnable giveBack) {
        OUTSTANDING.add(giveBack);
        try {
            released.get().subscribe(ignored -> {}, unknown -> {}, () -> end(giveBack));
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            Thrown.keepInterrupt(e);
            LOG.error(
                    "a handle does not say when it is released; what it holds is kept for good",
                    ErrorTexts.printable(e));
        }
    }

    private static void end(Runnable giveBack) {
        OUTSTANDING.remove(giveBack);
        giveBack.run();
    }
}
