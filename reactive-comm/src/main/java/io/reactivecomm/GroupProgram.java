package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/**
 * A blocking program that uses a group: {@link ReactiveComm#using}.
 *
 * @param <T> its result
 * @param <E> the checked exception that it may throw
 */
@FunctionalInterface
public interface GroupProgram<T extends @Nullable Object, E extends Exception> {

    /** {@return the result, which may be null} */
    T run(ProcessGroup group) throws E;
}
