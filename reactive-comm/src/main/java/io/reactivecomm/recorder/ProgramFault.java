package io.reactivecomm.recorder;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * An exception that a thread of the program has died of.
 *
 * @param thread the thread's name
 * @param isCaller whether this rank's last call was subscribed to on it
 * @param causes the exception and its causes, the outermost first
 * @param stack the frames of the outermost one
 */
public record ProgramFault(Instant time, String thread, boolean isCaller, List<String> causes, List<String> stack) {

    public ProgramFault {
        Objects.requireNonNull(time, "time");
        Objects.requireNonNull(thread, "thread");
        causes = List.copyOf(causes);
        stack = List.copyOf(stack);
    }
}
