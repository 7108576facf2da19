package io.reactivecomm.recorder;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A call that has begun on a rank and not ended.
 *
 * @param group the group's number; 0 is the world
 * @param groupSize how many ranks the group has
 * @param label the call in messages, such as {@code layer1.weight#2}; its first letters, if it is long
 * @param operation what is done, such as {@code all-reduce}; empty if that is not known
 * @param backend the engine that performs it, such as {@code links}; empty if that is not known
 * @param byteSize its size as nccl-tests counts it, in bytes; 0 of a call without elements, and if that is not known
 * @param since for how long it has been under way, if that is known: of another engine's call that was begun before somebody watched it is not
 * @param waitsFor world ranks that have not made the call, as far as the rank knows: those that it exchanges something with, and after some seconds all.
 *     Where there are none, it waits for bytes, or is a receive that may be idle: from any rank, or a stream's next item. Of another engine's call there
 *     are none known, ever. The first of them, if they are many
 * @param lateCount how many there are
 */
public record WaitingCall(
        long group,
        int groupSize,
        String label,
        String operation,
        String backend,
        long byteSize,
        Optional<Duration> since,
        List<Integer> waitsFor,
        int lateCount) {

    public WaitingCall {
        waitsFor = List.copyOf(waitsFor);
    }
}
