package io.reactivecomm.internal.group;

import io.reactivecomm.Work;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.RankDriver;
import io.reactivecomm.spi.CollectiveEngine;
import io.reactivecomm.spi.EngineCall;
import io.reactivecomm.spi.Failure;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A call that another engine than the one over links performs: brings its end to the loop, once.
 *
 * <p><b>Threads.</b> Any.
 */
final class ForeignCall implements CollectiveEngine.Sink {

    private final RankDriver driver;
    private final String backend;
    private final EngineCall call;
    private final Borrowing sink;
    private final long startedAt;
    private final AtomicBoolean ended = new AtomicBoolean();

    ForeignCall(RankDriver driver, String backend, EngineCall call, Borrowing sink) {
        this.driver = driver;
        this.backend = backend;
        this.call = call;
        this.sink = sink;
        this.startedAt = driver.loop().nanoTime();
    }

    /**
     * Hands the call to its engine, on this thread, so that it need not wait for the loop; an engine that throws has failed it. Of a group that this
     * rank has closed or aborted it gets none: it may not have been told yet.
     */
    void begin(CollectiveEngine engine, GroupState group) {
        if (driver.isEnding(group)) {
            Failure closed = Failures.closed(group.worldRank(group.rank()));
            driver.endUnbegun(group, sink, each -> each.failed(closed));
            return;
        }
        try {
            engine.submit(call, this);
        } catch (RuntimeException e) {
            failed(new Failure(Failure.Kind.INTERNAL, call.group().worldRanks().get(call.group().rank()), call.collective().label()
                    + " failed: engine=" + backend + ", cause=" + e + "; the engine has a fault"));
        }
    }

    @Override
    public void succeeded(String algorithm) {
        if (ended.compareAndSet(false, true)) {
            driver.end(sink, each -> each.succeeded(work(algorithm)));
        }
    }

    @Override
    public void failed(Failure failure) {
        if (ended.compareAndSet(false, true)) {
            driver.end(sink, each -> each.failed(failure));
        }
    }

    private Work work(String algorithm) {
        Collective collective = call.collective();
        int peer = switch (collective) {
            case Send send -> send.peer();
            case Receive receive -> receive.peer();
            default -> Work.NO_PEER;
        };
        return new Work(
                collective.label(),
                collective.results(call.group().rank()),
                Math.max(0, call.ticket()),
                collective.byteSize(call.group().worldRanks().size()),
                driver.loop().nanoTime() - startedAt,
                backend,
                algorithm,
                peer);
    }
}
