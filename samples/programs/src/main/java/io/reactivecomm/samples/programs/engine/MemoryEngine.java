package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.CommException;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.spi.CallKind;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.OrderedEngine;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An engine for ranks of one JVM, to write others by: whatever wraps a library of collectives has these methods, and this to care for. Where it performs a
 * call, NCCL or MPI would be called.
 *
 * <p><b>Threads.</b> Turns come on a rank's loop, which must not be held up; so calls are performed elsewhere.
 *
 * @param rank this rank, in the world
 * @param hall where it meets the others
 * @param work runs what takes long
 */
record MemoryEngine(int rank, Hall hall, Executor work) implements OrderedEngine {

    /** The same answer on all ranks: it depends on the kind of the call, and on nothing that is this rank's. */
    @Override
    public @Nullable String refusal(EngineGroup group, CallKind kind) {
        return switch (kind.operation()) {
            case ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER -> null;
            case INFERENCE_ALL_REDUCE,
                    ALL_TO_ALL,
                    GATHER,
                    SCATTER,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP,
                    COALESCED -> "the memory engine leaves it to links";
        };
    }

    @Override
    public void run(List<Turn> batch) {
        for (Turn.Call turn : Turn.calls(batch)) {
            List<Turn.Call> all = hall.meet(turn);
            if (all != null) {
                work.execute(() -> perform(all));
            }
        }
    }

    private static void perform(List<Turn.Call> ranks) {
        List<Collective> calls =
                ranks.stream().map(each -> each.call().collective()).toList();
        try {
            performAll(calls);
        } catch (RuntimeException | Error e) {
            ranks.forEach(each -> each.sink()
                    .failed(new Failure(
                            Failure.Kind.INTERNAL, 0, "the memory engine failed: cause=" + CommException.describe(e))));
            return;
        }
        ranks.forEach(each -> each.sink().succeeded(Completion.of("in memory")));
    }

    /** A scope is one call of several: one place in the order, one end. */
    private static void performAll(List<Collective> ranks) {
        if (ranks.getFirst() instanceof Coalesced scope) {
            for (int i = 0; i < scope.members().size(); i++) {
                int member = i;
                HostCollectives.perform(ranks.stream()
                        .map(each -> ((Coalesced) each).members().get(member))
                        .toList());
            }
        } else {
            HostCollectives.perform(ranks);
        }
    }

    /** What all members have brought runs to its end; nothing else will ever be complete. */
    @Override
    public void abandonGroup(EngineGroup group, Failure cause) {
        end(each -> each.id() == group.id(), cause);
    }

    @Override
    public void closeGroup(EngineGroup group) {
        abandonGroup(group, closed());
    }

    @Override
    public void close() {
        end(each -> true, closed());
    }

    private void end(Predicate<EngineGroup> groups, Failure cause) {
        hall.leave(rank, groups).forEach(turn -> turn.sink().failed(cause));
    }

    private Failure closed() {
        return new Failure(Failure.Kind.CLOSED, rank, "the memory engine was closed: rank=" + rank);
    }
}
