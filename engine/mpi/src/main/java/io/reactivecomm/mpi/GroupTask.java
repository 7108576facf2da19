package io.reactivecomm.mpi;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The opening or freeing of a group on the {@link Worker}: its members do so together, and MPI holds the thread until they have.
 *
 * <p><b>Threads.</b> The worker's; it may be given up from any.
 */
final class GroupTask implements Worker.Task {

    private final EngineGroup group;
    private final Turn.Sink sink;
    private final Consumer<GroupTask> work;
    private final Function<Throwable, Failure> failures;
    private final Consumer<GroupTask> over;
    private volatile boolean isGivenUp;

    /**
     * @param work the part of it that is MPI's
     * @param failures what the others hear where that throws
     * @param over is told when it is over, whatever came of it
     */
    GroupTask(
            EngineGroup group,
            Turn.Sink sink,
            Consumer<GroupTask> work,
            Function<Throwable, Failure> failures,
            Consumer<GroupTask> over) {
        this.group = group;
        this.sink = sink;
        this.work = work;
        this.failures = failures;
        this.over = over;
    }

    EngineGroup group() {
        return group;
    }

    /** The group has failed. */
    void giveUp() {
        isGivenUp = true;
    }

    @Override
    public boolean isGivenUp() {
        return isGivenUp;
    }

    @Override
    public void run() {
        try {
            if (!isGivenUp) {
                work.accept(this);
                sink.done();
            }
        } catch (RuntimeException | Error e) {
            sink.failed(failures.apply(e));
        } finally {
            over.accept(this);
        }
    }
}
