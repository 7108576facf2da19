package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.faults.Cell;
import io.reactivecomm.testkit.faults.CellOutcome;
import io.reactivecomm.testkit.faults.Fault;
import io.reactivecomm.testkit.faults.FaultMatrix;
import io.reactivecomm.testkit.faults.MatrixPage;
import io.reactivecomm.testkit.faults.MatrixRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The matrix of faults, here because this module's tests have all transports: a cell of each of a few faults in every run, the whole with {@code -Pthorough}.
 *
 * <p>{@code -Dfaults.cells=KILL,STOP/BULK} runs the cells whose names begin so instead of all; {@code -Dfaults.page=FILE} writes what was
 * measured into that page.
 */
class FaultMatrixTest {

    private static final String CELLS = System.getProperty("faults.cells", "");
    private static final String PAGE = System.getProperty("faults.page", "");

    /** Many of the cells wait for seconds and do nothing. */
    private static final int AT_ONCE = 5;

    /** One for each way in which ranks learn of a fault: a closed connection, silence, the victim's own word, and an error of a call. */
    private static final Set<Fault> IN_EVERY_RUN =
            EnumSet.of(Fault.KILL, Fault.STOP, Fault.FATAL_ON_LOOP, Fault.PARTITION, Fault.DISK_FULL);

    @TempDir
    private Path folder;

    @Test
    @Timeout(600)
    void cellsOfAFewFaults_endAsExpected_andLeaveNothing() throws Exception {
        List<Cell> cells = FaultMatrix.oneOfEachFault().stream()
                .filter(cell -> IN_EVERY_RUN.contains(cell.fault()))
                .toList();
        requireGood(run(cells, AT_ONCE));
    }

    @Test
    @Tag("thorough")
    @Timeout(3_600)
    void allCells_endAsExpected_andLeaveNothing() throws Exception {
        Map<Cell, CellOutcome> outcomes = run(CELLS.isEmpty() ? FaultMatrix.cells() : FaultMatrix.named(CELLS), 1);
        System.out.println(MatrixPage.of(outcomes));
        if (!PAGE.isEmpty()) {
            write(Path.of(PAGE), outcomes);
        }
        requireGood(outcomes);
    }

    private Map<Cell, CellOutcome> run(List<Cell> cells, int atOnce) throws InterruptedException {
        try (MatrixRunner runner = new MatrixRunner(folder)) {
            cells.forEach(cell -> runner.lacks(cell)
                    .ifPresent(reason -> System.out.println("left out: cell=" + cell + ", reason=" + reason)));
            return runner.run(cells, atOnce);
        }
    }

    private static void requireGood(Map<Cell, CellOutcome> outcomes) {
        assertThat(outcomes.values()).isNotEmpty().allMatch(CellOutcome::isGood);
    }

    private static void write(Path page, Map<Cell, CellOutcome> outcomes) throws IOException {
        Files.writeString(page, MatrixPage.replaced(Files.readString(page), MatrixPage.of(outcomes)));
    }
}
