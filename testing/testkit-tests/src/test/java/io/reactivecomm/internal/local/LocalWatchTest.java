package io.reactivecomm.internal.local;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.testkit.group.WatchContract;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The contract of watching, of a world in this JVM. */
class LocalWatchTest extends WatchContract {

    private @Nullable LocalWorld latest;

    @Override
    public World open(int size) {
        LocalWorld world = ReactiveComm.local(size);
        latest = world;
        return World.of(world);
    }

    private LocalWorld latest() {
        return Objects.requireNonNull(latest);
    }

    @Override
    protected JobWatch watch() {
        return JobWatch.of(latest()).every(JobBoard.SHORTEST_INTERVAL);
    }

    @Override
    protected long records() {
        return ((LocalRanks) latest()).told().on(JobBoard::records);
    }

    @Override
    protected int waitingRanks() {
        return ((LocalRanks) latest()).told().on(JobBoard::waitingRanks);
    }

    @Override
    protected void endWorld() {
        latest().close();
    }
}
