package io.reactivecomm.testkit.faults;

import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs cells of the matrix, in processes on this machine. The transports are those of the class path.
 *
 * <p>A cell of the network needs root: where the machine lacks something, the cell is left out, and {@link #lacks} says why.
 *
 * <p><b>Threads.</b> One at a time; it has threads of its own.
 */
public final class MatrixRunner implements AutoCloseable {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String TOKEN = "a-token-for-the-matrix-of-faults";
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** In namespaces of the runner's own, where nobody else has a port. */
    private static final int FIRST_PORT = 20_000;

    private final Path folder;
    private final RankPool pool;
    private final MachineAbilities machine = new MachineAbilities();
    private @Nullable NamespaceNetwork network;
    private int nextPort = FIRST_PORT;

    /** @param folder an empty one, for files of the ranks */
    public MatrixRunner(Path folder) {
        this.folder = folder;
        this.pool = new RankPool(folder);
    }

    /** {@return why that cell cannot be run on this machine, or nothing if it can} */
    public Optional<String> lacks(Cell cell) {
        return machine.lacks(cell.fault().need());
    }

    /**
     * Runs cells, and leaves out those that the machine cannot have.
     *
     * @param atOnce so many side by side, one of the network among them, which costs the times that are measured their meaning
     * @return by cell, in the order of the list
     */
    public Map<Cell, CellOutcome> run(List<Cell> cells, int atOnce) throws InterruptedException {
        Set<String> before = files();
        Map<Cell, Future<CellOutcome>> running = new LinkedHashMap<>();
        // Cells of the network have one network. Those that wait for it would keep the others waiting, so they have a
        // thread of their own.
        try (ExecutorService ofNetwork = Executors.newSingleThreadExecutor();
                ExecutorService others = atOnce == 1 ? ofNetwork : Executors.newFixedThreadPool(atOnce - 1)) {
            List<Cell> possible =
                    cells.stream().filter(cell -> lacks(cell).isEmpty()).toList();
            // What waits for seconds goes first, so that the others run beside it.
            Stream.concat(
                            possible.stream().filter(MatrixRunner::isLong),
                            possible.stream().filter(cell -> !isLong(cell)))
                    .forEach(cell -> running.put(
                            cell, (cell.fault().isOfNetwork() ? ofNetwork : others).submit(() -> run(cell))));
            Map<Cell, CellOutcome> outcomes = new LinkedHashMap<>();
            for (Cell cell : possible) {
                outcomes.put(cell, outcome(cell, running.get(cell)));
            }
            requireNothingLeft(before, outcomes);
            return outcomes;
        }
    }

    private static boolean isLong(Cell cell) {
        return Expectations.of(cell).limit().compareTo(Duration.ofSeconds(2)) > 0;
    }

    private static CellOutcome outcome(Cell cell, @Nullable Future<CellOutcome> future) throws InterruptedException {
        if (future == null) {
            throw new IllegalStateException("not run: cell=" + cell);
        }
        try {
            return future.get();
        } catch (ExecutionException e) {
            return new CellOutcome(cell, null, null, List.of(), List.of("the runner failed: " + e.getCause()));
        }
    }

    private CellOutcome run(Cell cell) throws IOException, InterruptedException {
        if (cell.fault().isOfNetwork()) {
            return runApart(cell);
        }
        try (HostedStore store = store();
                CellProcesses party = new CellProcesses(cell, pool, null)) {
            return new CellRun(party, new RankPlan(cell, 0, "127.0.0.1", store.port(), true, TOKEN), null).run();
        }
    }

    private static HostedStore store() {
        StoreHost host = ServiceLoader.load(StoreHost.class).findFirst().orElseThrow();
        return Objects.requireNonNull(
                host.start("127.0.0.1", 0, TOKEN, ConnectedWorlds.ENCRYPTION).block(BOUND), "no store");
    }

    /** On the thread of the cells of the network only. */
    private CellOutcome runApart(Cell cell) throws IOException, InterruptedException {
        NamespaceNetwork apart = network == null ? new NamespaceNetwork() : network;
        network = apart;
        RankPlan plan = new RankPlan(cell, 0, NamespaceNetwork.address(0), nextPort++, false, TOKEN);
        try (CellProcesses party = new CellProcesses(cell, pool, apart)) {
            return new CellRun(party, plan, apart).run();
        }
    }

    /** {@return files of ranks: in their folder, and those in shared memory that are named after the library} */
    private Set<String> files() {
        Set<String> files = new TreeSet<>(names(folder));
        files.remove(folder.resolve(RankPool.CLASSES).toString());
        names(SHARED_MEMORY).stream()
                .filter(name -> name.contains("reactive-comm"))
                .forEach(files::add);
        return files;
    }

    private static Set<String> names(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(Path::toString).collect(Collectors.toSet());
        } catch (IOException e) {
            return Set.of();
        }
    }

    /** Files have no owner that could be told from others while cells run side by side: so all cells answer for them together. */
    private void requireNothingLeft(Set<String> before, Map<Cell, CellOutcome> outcomes) {
        Set<String> more = files();
        more.removeAll(before);
        if (!more.isEmpty() && !outcomes.isEmpty()) {
            Cell last = List.copyOf(outcomes.keySet()).getLast();
            outcomes.computeIfPresent(last, (cell, outcome) -> {
                List<String> left = new ArrayList<>(outcome.left());
                left.add("files of this or an earlier cell: " + more);
                return new CellOutcome(cell, outcome.after(), outcome.text(), left, outcome.faults());
            });
        }
    }

    @Override
    public void close() {
        pool.close();
        if (network != null) {
            network.close();
        }
    }
}
