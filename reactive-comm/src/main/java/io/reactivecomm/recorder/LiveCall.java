package io.reactivecomm.recorder;

import java.util.List;
import java.util.Objects;

/**
 * A call that has been subscribed to and has not ended.
 *
 * @param state how far it is
 * @param subscribedMicrosAgo for how long it has been under way
 * @param leftMicros how long it may go on until its deadline, or {@link Long#MAX_VALUE} if it has none of its own
 * @param missing ranks of the world that have not joined, as far as this rank knows
 * @param mayBeIdle whether none of those is late: it is a receive from any rank, or one that waits as long as it likes, as for a stream's next item
 * @param waitsFor what it waits for, in words
 * @param answers what those ranks have said when they were asked
 */
public record LiveCall(
        CallRecord call,
        State state,
        long subscribedMicrosAgo,
        long leftMicros,
        List<Integer> missing,
        boolean mayBeIdle,
        String waitsFor,
        List<String> answers) {

    /** The states of a call that is under way. */
    public enum State {
        /** Subscribed to; the loop has not begun it. */
        QUEUED,
        /** A receive that no message has come for. */
        POSTED,
        /** Some rank has not joined. */
        MATCHING,
        /** All have joined: bytes are under way, or are folded. */
        MOVING,
        /** Ranks differ in what it is: the verdict is awaited. */
        DISPUTED,
        /** Another engine has it, or calls of its body are under way. */
        ELSEWHERE
    }

    public LiveCall {
        Objects.requireNonNull(call, "call");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(waitsFor, "waitsFor");
        missing = List.copyOf(missing);
        answers = List.copyOf(answers);
    }
}
