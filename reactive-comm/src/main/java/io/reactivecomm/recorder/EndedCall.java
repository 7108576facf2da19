package io.reactivecomm.recorder;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that has ended on this rank.
 *
 * @param subscribedMicrosAgo when it was subscribed to
 * @param endedMicrosAgo when it ended
 * @param failure why it failed, or null if it succeeded
 * @param missing of one that failed, the ranks of the world that had not joined
 */
public record EndedCall(
        CallRecord call,
        long subscribedMicrosAgo,
        long endedMicrosAgo,
        @Nullable FailureRecord failure,
        List<Integer> missing) {

    public EndedCall {
        Objects.requireNonNull(call, "call");
        missing = List.copyOf(missing);
    }

    /** {@return how long it took on this rank} */
    public long tookMicros() {
        return subscribedMicrosAgo - endedMicrosAgo;
    }

    public boolean hasFailed() {
        return failure != null;
    }
}
