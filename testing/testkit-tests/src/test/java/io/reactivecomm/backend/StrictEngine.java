package io.reactivecomm.backend;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Sinks;

/**
 * One rank's end of a {@link StrictMeeting}: all-reduce, all-gather and broadcast, of which splits and objects are made; it adds up FLOAT32 and INT64.
 *
 * @param rank in the world
 * @param formation who takes part when a group is opened
 */
record StrictEngine(StrictMeeting meeting, int rank, Formation formation) implements OrderedEngine {

    /** An all-reduce of so many elements throws, on rank 1, when it has begun; it never completes. No contract has as many. */
    static final int UNLUCKY = 100_013;

    /** The thing that is thrown there. */
    static volatile Throwable unlucky = new IllegalStateException("thirteen");

    /** An all-reduce of so many elements fails on rank 1, as where a library finds that a process has gone; it never completes. No contract has as many. */
    static final int BEREFT = 100_019;

    /** To be asked for this throws, on rank 1. */
    static final CustomReduction UNJUDGED = CustomReduction.ofFloats("unjudged", (a, b) -> a);

    /** Messages of this type go over links. */
    static final DType LEFT_TO_LINKS = DType.BOOL;

    /** An all-reduce of so many elements never completes. No contract has as many. */
    static final int ENDLESS = 100_017;

    /** Tells the rank of each endless call that begins. */
    static final Sinks.Many<Integer> ENDLESS_BEGUN = Sinks.many().multicast().directBestEffort();

    /** Tells of each group that is abandoned: the rank, and the members. */
    static final Sinks.Many<String> ABANDONED = Sinks.many().multicast().directBestEffort();

    /** Tells of each list of calls that a rank is handed. */
    static final Sinks.Many<List<EngineCall>> HANDED = Sinks.many().multicast().directBestEffort();

    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        if (rank == 1 && kind.reduction() == UNJUDGED) {
            throw new UnsatisfiedLinkError("no library");
        }
        boolean isKnown = switch (kind.operation()) {
            case ALL_REDUCE ->
                (kind.type() == DType.FLOAT32 || kind.type() == DType.INT64) && kind.reduction() == ReduceOp.SUM;
            case ALL_GATHER, BROADCAST -> true;
            case MESSAGE -> kind.type() != LEFT_TO_LINKS;
            default -> false;
        };
        return isKnown
                ? null
                : "the strict double does sums of FLOAT32 and INT64, all-gathers, broadcasts, and messages but those of "
                        + LEFT_TO_LINKS;
    }

    @Override
    public void run(List<Turn> batch) {
        HANDED.emitNext(
                Turn.calls(batch).stream().map(Turn.Call::call).toList(),
                Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(1)));
        if (formation != Formation.NOBODY && !meeting.groups().admits(rank, batch)) {
            return;
        }
        meeting.run(rank, batch);
        if (rank == 1) {
            Turn.calls(batch).stream()
                    .filter(turn -> turn.call().collective().signature().count() == BEREFT)
                    .forEach(turn -> turn.sink()
                            .failed(new Failure(
                                    Failure.Kind.PEER_LOST, rank, "a process is gone, says the strict double")));
        }
        if (rank == 1
                && Turn.calls(batch).stream()
                        .anyMatch(turn -> turn.call().collective().signature().count() == UNLUCKY)) {
            throw StrictEngine.<RuntimeException>sneaky(unlucky);
        }
        if (batch.stream().anyMatch(StrictMeeting::isEndless)) {
            ENDLESS_BEGUN.emitNext(rank, Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(1)));
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        meeting.groups().freed(rank, group);
        meeting.stop(rank, turn -> turn.group().id() == group.id(), cause);
        ABANDONED.emitNext(
                rank + " of " + group.worldRanks(), Sinks.EmitFailureHandler.busyLooping(Duration.ofSeconds(1)));
    }

    @Override
    public void closeGroup(EngineGroup group) {
        meeting.stop(rank, turn -> turn instanceof Turn.Call && turn.group().id() == group.id(), closed());
    }

    @Override
    public void close() {
        meeting.stop(rank, turn -> true, closed());
        meeting.leave(rank);
    }

    private Failure closed() {
        return new Failure(Failure.Kind.CLOSED, rank, "the strict engine was closed: rank=" + rank);
    }
}
