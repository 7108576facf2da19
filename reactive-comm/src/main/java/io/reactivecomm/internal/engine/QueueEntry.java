package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.Failure;
import java.util.function.Consumer;

/**
 * An entry of the queue for the loop's next turn: all that threads ask of the engine, in one order. So a call that a thread makes after it has
 * closed a group comes after that closing.
 */
sealed interface QueueEntry permits Submission, QueueEntry.Ended, QueueEntry.Unbegun, QueueEntry.Request {

    /** The end of a call that the engine over links knows nothing of. */
    record Ended(CallSink sink, Consumer<CallSink> tell) implements QueueEntry {}

    /** A call that ends before any engine has it; first of all because its group has ended, if it has. */
    record Unbegun(GroupState group, CallSink sink, Consumer<CallSink> tell) implements QueueEntry {

        /** Tells the call's sink. */
        void end() {
            Failure refusal = group.refusal();
            if (refusal == null) {
                tell.accept(sink);
            } else {
                sink.failed(refusal);
            }
        }
    }

    /** A request beside calls. */
    record Request(Runnable task) implements QueueEntry {}
}
