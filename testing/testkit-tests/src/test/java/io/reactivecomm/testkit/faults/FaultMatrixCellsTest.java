package io.reactivecomm.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FaultMatrixCellsTest {

    private static final Path DOCUMENT = Path.of("..", "..", "docs", "reliability.md");

    @Test
    void cells_areDistinct_andEachIsExpectedToEndInSomething() {
        List<Cell> cells = FaultMatrix.cells();

        assertThat(cells)
                .doesNotHaveDuplicates()
                .allSatisfy(cell -> assertThat(Expectations.of(cell).limit()).isPositive());
        assertThat(cells.stream().map(Cell::phase)).contains(Phase.values());
        assertThat(cells.stream().map(Cell::transport)).contains(LinkKind.values());
    }

    @ParameterizedTest
    @EnumSource
    void fault_isInTheMatrix_andInItsSample(Fault fault) {
        assertThat(FaultMatrix.cells().stream().map(Cell::fault)).contains(fault);
        assertThat(FaultMatrix.oneOfEachFault().stream().map(Cell::fault)).contains(fault);
    }

    @Test
    void oneOfEachFault_isInManyPhasesOverAllTransports() {
        List<Cell> few = FaultMatrix.oneOfEachFault();

        assertThat(few).doesNotHaveDuplicates().hasSameSizeAs(Fault.values());
        assertThat(few.stream().map(Cell::phase).distinct()).hasSizeGreaterThanOrEqualTo(6);
        assertThat(few.stream().map(Cell::transport).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(LinkKind.values());
    }

    @Test
    void combinationThatCannotBe_hasAReason() {
        assertThat(FaultMatrix.leftOut(new Cell(Fault.KILL, Phase.BULK, LinkKind.LOCAL)))
                .get()
                .asString()
                .contains("one process");
        assertThat(FaultMatrix.leftOut(new Cell(Fault.KILL, Phase.BULK, LinkKind.TCP)))
                .isEmpty();
    }

    @Test
    void plan_isReadAsItWasWritten() {
        RankPlan plan =
                new RankPlan(new Cell(Fault.STOP, Phase.IDLE, LinkKind.SHM), 1, "10.77.0.1", 20_000, false, "a=b");

        assertThat(RankPlan.parse(plan.line())).isEqualTo(plan);
    }

    @Test
    void error_isReadAsItWasSaid() {
        FirstError knew = FirstError.parse(RunnerOutput.KNEW + " 123 2 PeerLostException lost rank 1: rank=1");

        assertThat(knew).isEqualTo(new FirstError(123, 2, "PeerLostException", "lost rank 1: rank=1"));
        assertThat(FirstError.of(2))
                .accepts(RunnerOutput.KNEW + " 123 2 X y")
                .rejects(RunnerOutput.KNEW + " 123 1 X y", RunnerOutput.GOES + " 2");
    }

    /** What was measured may differ from machine to machine; the cells and what they end in may not. */
    @Test
    void document_hasTheTablesOfThisMatrix() throws IOException {
        assertThat(MatrixPage.frame(Files.readString(DOCUMENT)))
                .as("the tables of docs/reliability.md; CONTRIBUTING.md has the command that writes them anew")
                .isEqualTo(MatrixPage.frame());
    }

    @Test
    void page_withMeasurements_hasTheSameFrame() {
        Map<Cell, CellOutcome> outcomes =
                FaultMatrix.cells().stream().collect(Collectors.toMap(cell -> cell, FaultMatrixCellsTest::outcome));
        String page = MatrixPage.replaced(
                "before\n<!-- matrix of faults: begin -->\nold\n<!-- matrix of faults: end -->after",
                MatrixPage.of(outcomes));

        assertThat(page)
                .startsWith("before")
                .endsWith("after")
                .contains("1.64 s", "**not as expected**", "«Some", "STOP")
                .doesNotContain("\nold\n");
        assertThat(MatrixPage.frame(page))
                .isEqualTo(MatrixPage.frame())
                .doesNotContain("1.64 s")
                .contains("≤ 0.25 s");
    }

    private static CellOutcome outcome(Cell cell) {
        List<String> faults = cell.fault() == Fault.BLIP ? List.of("too late") : List.of();
        List<String> left = cell.fault() == Fault.STOP ? List.of("threads=1") : List.of();
        return new CellOutcome(
                cell,
                Duration.ofMillis(cell.phase().ordinal() * 410L + 3),
                "SomeException: «so» it | is",
                left,
                faults);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<!-- matrix of faults: begin -->\n"})
    void page_withoutAPlace_isRefused(String page) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MatrixPage.replaced(page, "tables"))
                .withMessageContaining("without a place");
    }
}
