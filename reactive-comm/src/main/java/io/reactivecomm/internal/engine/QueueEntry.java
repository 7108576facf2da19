package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the queue for the loop's next turn: all that threads ask of the engine, in one order. So a call that a thread makes after it has
 * closed a group comes after that closing.
 */
public sealed interface QueueEntry permits Submission, QueueEntry.Ended, QueueEntry.Unbegun, QueueEntry.Begun, QueueEntry.Part, QueueEntry.PartEnded, QueueEntry.Request {

    /** The end of a call that the engine over links knows nothing of. */
    record Ended(CallSink sink, Consumer<CallSink> tell) implements QueueEntry {}

    /** A call that ends before any engine has it; first of all because its group has ended, if it has. */
    record Unbegun(GroupState group, CallSink sink, Consumer<CallSink> tell) implements QueueEntry {

        /** Tells the call's sink. */
        public void end() {
            Failure refusal = group.refusal();
            if (refusal == null) {
                tell.accept(sink);
            } else {
                sink.failed(refusal);
            }
        }
    }

    /**
     * A composite call that begins, or cannot.
     *
     * @param refusal why it cannot begin here, or null
     */
    record Begun(Composite run, @Nullable Failure refusal) implements QueueEntry {}

    /**
     * A call of a composite that begins, and that the engine over links knows no more of.
     *
     * @param begin hands it to its engine
     */
    record Part(GroupState group, Composite within, CallSink sink, Runnable begin) implements QueueEntry {}

    /**
     * The end of such a call.
     *
     * @param failedRun the run whose failure is the call's, or null
     * @param failure why it failed, or null
     */
    record PartEnded(
            Composite within, CallSink sink, CallKey.@Nullable Ticket failedRun, @Nullable Failure failure, Consumer<CallSink> tell)
            implements QueueEntry {}

    /** A request beside calls. */
    record Request(Runnable task) implements QueueEntry {}
}
