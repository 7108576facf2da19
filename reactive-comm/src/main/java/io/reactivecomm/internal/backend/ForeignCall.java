package io.reactivecomm.internal.backend;

import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.driver.RankDriver;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that another engine than the one over links performs: brings its end to the loop, once.
 *
 * <p><b>Threads.</b> Any.
 */
public final class ForeignCall implements CollectiveEngine.Sink {

    private final RankDriver driver;
    private final Backends.Choice choice;
    /** The run of a composite call that it is part of, or null. */
    private final @Nullable Composite within;

    private final EngineCall call;
    private final CallSink sink;
    private final long startedAt;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** @param within the run of a composite call that it is part of, or null */
    public ForeignCall(RankDriver driver, Backends.Choice choice, @Nullable Composite within, EngineCall call, CallSink sink) {
        this.driver = driver;
        this.choice = choice;
        this.within = within;
        this.call = call;
        this.sink = sink;
        this.startedAt = driver.loop().nanoTime();
    }

    /**
     * Hands the call to its engine, on this thread, so that it need not wait for the loop; an engine that throws has failed it. Of a group that this
     * rank has closed or aborted it gets none: it may not have been told yet. One in a composite call has to wait for the loop, which knows whether
     * that is open.
     */
    public void begin(GroupState group) {
        if (within != null) {
            driver.beginElsewhere(group, within, sink, () -> hand(group));
        } else if (driver.isEnding(group)) {
            Failure closed = closed(group);
            driver.endUnbegun(group, sink, each -> each.failed(closed));
        } else {
            hand();
        }
    }

    /** On the loop. */
    private void hand(GroupState group) {
        if (driver.isEnding(group)) {
            failed(closed(group));
        } else {
            hand();
        }
    }

    private static Failure closed(GroupState group) {
        return Failures.closed(group.worldRank(group.rank()));
    }

    private void hand() {
        try {
            choice.engine().submit(call, this);
        } catch (RuntimeException e) {
            failed(new Failure(Failure.Kind.INTERNAL, call.group().worldRanks().get(call.group().rank()), call.collective().label()
                    + " failed: engine=" + choice.name() + ", cause=" + e + "; the engine has a fault"));
        }
    }

    @Override
    public void succeeded(Completion completion) {
        end(null, null, each -> each.succeeded(work(completion)));
    }

    @Override
    public void failed(Failure failure) {
        end(null, failure, each -> each.failed(failure));
    }

    @Override
    public void runFailed(CallKey.Ticket run, Failure failure) {
        end(run, failure, each -> each.failed(failure));
    }

    private void end(CallKey.@Nullable Ticket failedRun, @Nullable Failure failure, Consumer<CallSink> tell) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        if (within == null) {
            driver.end(sink, tell);
        } else {
            driver.endElsewhere(within, sink, failedRun, failure, tell);
        }
    }

    private Work work(Completion completion) {
        Collective collective = call.collective();
        long endedAt = completion.endedAt() == Completion.NOW ? driver.loop().nanoTime() : completion.endedAt();
        return new CallSink.Success(
                collective.label(),
                collective.results(call.group().rank()),
                Math.max(0, call.ticket()),
                collective.byteSize(call.group().worldRanks().size()),
                endedAt - startedAt,
                choice.name(),
                completion.algorithm(),
                completion.peer() == Work.NO_PEER ? peer(collective) : completion.peer(),
                completion.handle());
    }

    private static int peer(Collective collective) {
        return switch (collective) {
            case Send send -> send.peer();
            case Receive receive -> receive.peer();
            default -> Work.NO_PEER;
        };
    }
}
