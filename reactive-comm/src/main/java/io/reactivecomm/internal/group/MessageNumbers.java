package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Submission;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The count of the messages of one place: those sent to a rank, received from one by its name, and received from any, each by name and tag. Whichever engine
 * performs them, so that the n-th of one end is the n-th of the other.
 *
 * <p><b>Threads.</b> Any, without a lock.
 */
final class MessageNumbers {

    private final Map<Submission.Address, AtomicLong> next = new ConcurrentHashMap<>();

    /** {@return the number of a message or receive that is subscribed to now, from 0} */
    long take(Submission.Address end) {
        return next.computeIfAbsent(end, ignored -> new AtomicLong()).getAndIncrement();
    }
}
