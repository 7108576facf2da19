package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the queue for the loop's next turn: all that threads ask of the engine, in one order. So a call that a thread makes after it has
 * closed a group comes after that closing.
 */
public sealed interface QueueEntry
        permits Submission,
                QueueEntry.Marker,
                QueueEntry.Unbegun,
                QueueEntry.Begun,
                QueueEntry.Foreign,
                QueueEntry.ForeignEnded,
                QueueEntry.Request {

    /** A place in the queue: its action runs once all entries before it have been taken, and calls among them that were refused have ended. */
    record Marker(Runnable reached) implements QueueEntry {}

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
     * A call that another engine performs, and of which the one over links knows that it is under way.
     *
     * @param key its identity; of a message this end's
     * @param within the run of a composite call that it is part of, or null
     * @param words what was called, for a list of who called what
     * @param performer its engine
     */
    record Foreign(
            GroupState group,
            CallKey key,
            @Nullable Composite within,
            CallSink sink,
            Supplier<String> words,
            Performer performer)
            implements QueueEntry {

        /** The engine of such a call. Called on the loop. */
        public interface Performer {

            /** {@return who performs it} */
            CollectiveEngine engine();

            /** {@return its engine's name} */
            String name();

            /** {@return when the call was subscribed to, by the loop's clock} */
            long startedAt();

            /** {@return its engine's name, if there is another beside the one over links; else null} */
            @Nullable String rivalName();

            /** Hands the call over. */
            void begin();

            /** The engine has the call, and other ranks have failed it. */
            void fail(CallKey key, Failure cause);

            /** The engine has not got the call, and will not get it. */
            void refuse(CallKey key, Failure cause);
        }
    }

    /**
     * The end of such a call.
     *
     * @param failedRun the run whose failure is the call's, or null
     * @param failure why it failed, or null
     */
    record ForeignEnded(
            Foreign call,
            CallKey.@Nullable Ticket failedRun,
            @Nullable Failure failure,
            Consumer<CallSink> tell) implements QueueEntry {}

    /** A request beside calls. */
    record Request(Runnable task) implements QueueEntry {}
}
