package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/**
 * A program that uses a group and may block: {@link ReactiveComm#using}.
 *
 * @param <T> its result
 * @param <E> what it throws
 */
@FunctionalInterface
public interface GroupProgram<T extends @Nullable Object, E extends Exception> {

    /** {@return the result; null if there is none} */
    T run(ProcessGroup group) throws E;
}
