package io.reactivecomm.recorder;

import java.util.List;
import java.util.Objects;

/**
 * The loop of a rank; ranks of one JVM may share it.
 *
 * @param thread the name of its thread
 * @param isTurning whether it has answered; if not, it is held up
 * @param turnMicros for how long this rank's turn has lasted by now, or {@link CallRecord#NONE} if it is not this rank's turn
 * @param stack what it is doing, the innermost frame first
 */
public record LoopRecord(String thread, boolean isTurning, long turnMicros, List<String> stack) {

    public LoopRecord {
        Objects.requireNonNull(thread, "thread");
        stack = List.copyOf(stack);
    }
}
