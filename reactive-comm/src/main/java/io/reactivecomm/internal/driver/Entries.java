package io.reactivecomm.internal.driver;

import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.QueueEntry;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Loop;
import java.util.function.Consumer;

/**
 * The way from a rank's queue into its engine: what becomes of each entry in the loop's turn, and of those that come when there is none any more.
 *
 * <p><b>Threads.</b> {@link #take} on the loop; {@link #refuse} any.
 */
final class Entries {

    private final Engine engine;
    private final Loop loop;
    private final int rank;
    private final Consumer<Runnable> event;

    /** @param event runs an event, and asks for the turn that its effects leave in */
    Entries(Engine engine, Loop loop, int rank, Consumer<Runnable> event) {
        this.engine = engine;
        this.loop = loop;
        this.rank = rank;
        this.event = event;
    }

    void take(QueueEntry next, long now) {
        switch (next) {
            case Submission submission -> engine.submit(submission, now);
            case QueueEntry.Marker marker -> engine.signal(marker.reached());
            case QueueEntry.Unbegun call -> engine.signal(call::end);
            case QueueEntry.Begun begun -> begin(begun, now);
            case QueueEntry.Foreign call -> engine.begin(call, now);
            case QueueEntry.ForeignEnded ended -> end(ended, now);
            case QueueEntry.Request request -> request.task().run();
        }
    }

    private void begin(QueueEntry.Begun begun, long now) {
        Failure refusal = begun.refusal();
        if (refusal == null) {
            engine.begin(begun.run(), now);
        } else {
            engine.refuse(begun.run(), refusal, now);
        }
    }

    private void end(QueueEntry.ForeignEnded ended, long now) {
        CallSink sink = ended.call().sink();
        engine.end(
                ended.call(),
                ended.failedRun(),
                ended.failure(),
                () -> ended.tell().accept(sink),
                now);
    }

    /** There is no further turn. A loop that was held when the links went down still runs what is asked of the engine. */
    void refuse(QueueEntry late) {
        switch (late) {
            case Submission submission -> refuse(submission.sink(), submission.group());
            case QueueEntry.Marker marker -> marker.reached().run();
            case QueueEntry.Unbegun call -> refuse(call.sink(), call.group());
            case QueueEntry.Begun begun -> refuse(begun.run());
            case QueueEntry.Foreign call -> refuse(call.sink(), call.group());
            case QueueEntry.ForeignEnded ended -> refuse(ended);
            case QueueEntry.Request request -> loop.execute(() -> event.accept(request.task()));
        }
    }

    /** A composite waits for its last part, however late that ends. */
    private void refuse(QueueEntry.ForeignEnded ended) {
        Composite within = ended.call().within();
        if (within != null && loop.thread().isAlive()) {
            loop.execute(() -> event.accept(() -> end(ended, loop.nanoTime())));
            return;
        }
        ended.call().sink().failed(Failures.closed(rank));
        if (within != null) {
            refuse(within);
        }
    }

    private void refuse(Composite run) {
        Failure known = run.group().refusal();
        if (known == null) {
            run.refused(Failures.closed(rank));
        } else {
            run.refused(known);
        }
    }

    private void refuse(CallSink sink, GroupState group) {
        Failure known = group.refusal();
        if (known == null) {
            sink.failed(Failures.closed(rank));
        } else {
            sink.failed(known);
        }
    }
}
