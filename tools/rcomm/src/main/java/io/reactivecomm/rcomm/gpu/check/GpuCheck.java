package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.CommException;
import io.reactivecomm.rcomm.gpu.check.CheckRow.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The check of a machine with a GPU: its rows one after another, each of which is measured, skipped with the reason, or failed with the reason. Where there
 * is no driver it ends at once, and well.
 */
public final class GpuCheck {

    private static final List<Check> CHECKS = List.of(
            new DriverCheck(),
            new LibraryCheck(),
            new SymbolsCheck(),
            new CompletionCheck(),
            new PairsCheck(),
            new JavaAndCCheck(),
            new OverlapCheck(),
            new MovesCheck(),
            new TwoRanksCheck());

    /** Longer than what a row's processes are given, and so than all that ends. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private GpuCheck() {}

    /**
     * Runs all checks on the first GPU that this process sees.
     *
     * @param environment that says which library is NCCL's, as for the engine
     * @param more checks of other modules' things on a GPU, which follow
     * @param told of each row as it ends
     * @return the rows
     */
    public static List<CheckRow> run(
            CheckSizes sizes, Map<String, String> environment, List<Check> more, Consumer<CheckRow> told) {
        List<CheckRow> rows = new ArrayList<>();
        try (Machine machine = new Machine(sizes, environment)) {
            for (Check check : Stream.concat(CHECKS.stream(), more.stream()).toList()) {
                CheckRow row = row(check, machine, LIMIT);
                told.accept(row);
                rows.add(row);
            }
        }
        return rows;
    }

    /**
     * {@return the outcome of one check} What fails is a row, too: those after it may hold. But after one that does not end, the GPU may do nothing more.
     *
     * @param limit how long it may take
     */
    static CheckRow row(Check check, Machine machine, Duration limit) {
        CompletableFuture<CheckRow> ended = new CompletableFuture<>();
        // A function of a driver that blocks cannot be interrupted, so the thread may have to be left behind.
        Thread.ofPlatform().daemon().name("check-" + check.name()).start(() -> ended.complete(outcome(check, machine)));
        try {
            return ended.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            machine.abandon();
            return failed(
                    check, "it does not end: waited=" + limit.toSeconds() + " s; the rows after it do without the GPU");
        } catch (ExecutionException e) {
            throw new IllegalStateException("a row has no outcome: row=" + check.name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a row was measured: row=" + check.name(), e);
        }
    }

    private static CheckRow outcome(Check check, Machine machine) {
        try {
            return new CheckRow(check.name(), State.MEASURED, check.measure(machine), "", check.claim());
        } catch (SkippedCheck e) {
            return new CheckRow(check.name(), State.SKIPPED, Map.of(), CommException.textOf(e), check.claim());
        } catch (RuntimeException | LinkageError | IOException e) {
            return failed(check, CommException.textOf(e));
        }
    }

    private static CheckRow failed(Check check, String reason) {
        return new CheckRow(check.name(), State.FAILED, Map.of(), reason, check.claim());
    }
}
