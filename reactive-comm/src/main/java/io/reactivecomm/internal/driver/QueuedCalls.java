package io.reactivecomm.internal.driver;

import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.QueueEntry;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.CallRecords;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls that wait for the loop's next turn, as a dump has them. */
final class QueuedCalls {

    private static final String WAITS_FOR = "this rank's loop to begin it";

    private QueuedCalls() {}

    static List<LiveCall> of(List<QueueEntry> waiting, long now) {
        List<LiveCall> calls = new ArrayList<>();
        for (QueueEntry entry : waiting) {
            switch (entry) {
                case Submission call -> calls.add(of(call, now));
                case QueueEntry.Foreign call ->
                    calls.add(queued(
                            CallRecords.of(
                                    call.key(),
                                    call.words().get(),
                                    "",
                                    "",
                                    call.performer().name()),
                            now - call.performer().startedAt(),
                            Long.MAX_VALUE));
                case QueueEntry.Marker ignored -> {}
                case QueueEntry.Unbegun ignored -> {}
                case QueueEntry.Begun ignored -> {}
                case QueueEntry.ForeignEnded ignored -> {}
                case QueueEntry.Request ignored -> {}
            }
        }
        return calls;
    }

    private static LiveCall of(Submission call, long now) {
        String what = switch (call.body()) {
            case Submission.Body.Valid valid -> valid.collective().describe();
            case Submission.Body.Invalid invalid -> invalid.failure().text();
        };
        long left = call.subscribedAt() + call.timeoutNanos() - now;
        return queued(
                CallRecords.of(key(call), what, "", call.site(), Submission.BACKEND),
                now - call.subscribedAt(),
                TimeUnit.NANOSECONDS.toMicros(left));
    }

    private static LiveCall queued(CallRecord call, long ageNanos, long leftMicros) {
        return new LiveCall(
                call,
                LiveCall.State.QUEUED,
                TimeUnit.NANOSECONDS.toMicros(ageNanos),
                leftMicros,
                List.of(),
                false,
                WAITS_FOR,
                List.of());
    }

    /** {@return its identity; of a message as much as this end knows} */
    private static CallKey key(Submission call) {
        int own = call.group().rank();
        return switch (call.address()) {
            case Submission.Address.Collectively collective -> collective.key();
            case Submission.Address.To to -> message(call, to.step(), to.name(), to.tag(), own, to.peer());
            case Submission.Address.From from -> message(call, from.step(), from.name(), from.tag(), from.peer(), own);
        };
    }

    private static CallKey message(Submission call, long step, String name, int tag, int source, int destination) {
        return new CallKey.Message(
                call.group().generation(),
                call.group().id(),
                step,
                name,
                tag,
                source,
                destination,
                CallRecord.NONE,
                enclosure(call.within()));
    }

    private static @Nullable Enclosure enclosure(@Nullable Composite within) {
        return within == null ? null : within.enclosure();
    }
}
