package io.reactivecomm.recorder;

import java.util.List;
import java.util.Objects;

/**
 * A thread of the rank's JVM.
 *
 * @param state as {@link Thread.State} has it
 * @param isCaller whether this rank's last call was subscribed to on it
 * @param isDeadlocked whether it waits for a lock that it will never get
 * @param lock what it waits for, or empty
 * @param lockOwner the thread that holds that, or empty
 * @param stack the innermost frame first
 */
public record ThreadRecord(
        String name,
        String state,
        boolean isCaller,
        boolean isDeadlocked,
        String lock,
        String lockOwner,
        List<String> stack) {

    public ThreadRecord {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(lockOwner, "lockOwner");
        stack = List.copyOf(stack);
    }
}
