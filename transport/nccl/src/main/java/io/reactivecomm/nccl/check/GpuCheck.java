package io.reactivecomm.nccl.check;

import io.reactivecomm.nccl.check.CheckRow.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The check of a machine with a GPU: its rows one after another, each of which is measured, skipped with the reason, or failed with the reason. Where there
 * is no driver it ends at once, and well.
 */
public final class GpuCheck {

    private static final List<Check> CHECKS = List.of(new DriverCheck(), new LibraryCheck(), new SymbolsCheck(), new CompletionCheck(), new PairsCheck(),
            new JavaAndCCheck(), new OverlapCheck(), new TwoRanksCheck());

    private GpuCheck() {}

    /**
     * Runs all checks on the first GPU that this process sees.
     *
     * @param environment that says which library is NCCL's, as for the engine
     * @param told of each row as it ends
     * @return the rows
     */
    public static List<CheckRow> run(CheckSizes sizes, Map<String, String> environment, Consumer<CheckRow> told) {
        List<CheckRow> rows = new ArrayList<>();
        try (Machine machine = new Machine(sizes, environment)) {
            for (Check check : CHECKS) {
                CheckRow row = row(check, machine);
                told.accept(row);
                rows.add(row);
            }
        }
        return rows;
    }

    /** What fails is a row, too: those after it may hold. */
    private static CheckRow row(Check check, Machine machine) {
        try {
            return new CheckRow(check.name(), State.MEASURED, check.measure(machine), "", check.claim());
        } catch (SkippedCheck e) {
            return new CheckRow(check.name(), State.SKIPPED, Map.of(), String.valueOf(e.getMessage()), check.claim());
        } catch (RuntimeException | IOException e) {
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            return new CheckRow(check.name(), State.FAILED, Map.of(), reason, check.claim());
        }
    }
}
