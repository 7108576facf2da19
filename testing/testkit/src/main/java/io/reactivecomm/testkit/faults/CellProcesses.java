package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The processes of one cell, by rank; of a local world all ranks are one process. What has served goes back to the pool if it is good for
 * another cell, and is ended otherwise.
 */
final class CellProcesses implements AutoCloseable {

    private record PooledProcess(String name, CellProcess jvm) {}

    private final RankPool pool;
    private final List<PooledProcess> processes = new ArrayList<>();
    private final int ranks;
    private final boolean endsVictim;
    private boolean isClean;

    /** @param network where the ranks live, or null for this host */
    CellProcesses(Cell cell, RankPool pool, @Nullable NamespaceNetwork network)
            throws IOException, InterruptedException {
        this.pool = pool;
        this.ranks = cell.transport() == LinkKind.LOCAL ? 1 : RankPlan.RANKS;
        this.endsVictim = cell.fault().endsVictim();
        boolean hasStranger = cell.fault() == Fault.WRONG_TOKEN;
        List<String> names = IntStream.range(0, hasStranger ? ranks + 1 : ranks)
                .mapToObj(rank -> network == null ? RankPool.HERE : network.namespace(rank))
                .toList();
        List<CellProcess> taken = pool.take(names);
        for (int i = 0; i < taken.size(); i++) {
            processes.add(new PooledProcess(names.get(i), taken.get(i)));
        }
    }

    CellProcess of(int rank) {
        return processes.get(Math.min(rank, ranks - 1)).jvm;
    }

    CellProcess victim() {
        return of(RankPlan.VICTIM);
    }

    /** {@return a process that is no rank's} */
    CellProcess stranger() {
        return processes.get(ranks).jvm;
    }

    /** {@return the processes of all ranks} */
    List<CellProcess> all() {
        return processes.subList(0, ranks).stream().map(PooledProcess::jvm).toList();
    }

    /** {@return the ranks that are not the victim} */
    static List<Integer> survivors() {
        return IntStream.range(0, RankPlan.RANKS)
                .filter(rank -> rank != RankPlan.VICTIM)
                .boxed()
                .toList();
    }

    /** {@return the processes of ranks other than the victim's process, as many as there are} */
    List<CellProcess> others() {
        return all().stream().filter(each -> each != victim()).toList();
    }

    /** {@return the error that a rank was told} */
    FirstError told(int rank, Duration bound) throws InterruptedException {
        CellProcess jvm = of(rank);
        return jvm.find(FirstError.of(rank), bound)
                .map(FirstError::parse)
                .orElseThrow(() -> new CellFailure("rank " + rank + " was told nothing within " + bound.toMillis()
                        + " ms; it said " + jvm.last()));
    }

    /** The processes that live are good for another cell. */
    void isClean() {
        isClean = true;
    }

    @Override
    public void close() {
        for (PooledProcess each : processes) {
            // One that has been killed may be alive a moment longer, and would die in the next cell.
            boolean isEnding = endsVictim && each.jvm == victim();
            if (isClean && !isEnding && each.jvm.isAlive()) {
                pool.giveBack(each.name, each.jvm);
            } else {
                pool.end(each.jvm);
            }
        }
    }
}
