package io.reactivecomm.testkit.faults;

import io.reactivecomm.testkit.faults.Expectation.Closes;
import io.reactivecomm.testkit.faults.Expectation.GoesOn;
import io.reactivecomm.testkit.faults.Expectation.Refused;
import io.reactivecomm.testkit.faults.Expectation.Told;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The matrix as the page docs/reliability.md shows it. It is markdown between two marks, with a place for each cell, and in it how long it
 * took until the last survivor was where it should be.
 */
public final class MatrixPage {

    private static final String BEGIN = "<!-- matrix of faults: begin -->\n";
    private static final String END = "<!-- matrix of faults: end -->";

    /** Where a page has what was measured, and what was told with it. */
    private static final String MEASURED = "…";

    private static final String FAILED = "**not as expected**";
    private static final String NOT_HERE = "not measured";
    private static final Pattern MEASUREMENT =
            Pattern.compile("(?<!≤ )\\b(?:\\d+ ms|\\d+\\.\\d\\d s)|" + Pattern.quote(FAILED) + "|" + NOT_HERE);

    /** What was told is in one row each, after this. */
    private static final Pattern TEXT = Pattern.compile("(?m)^(\\| [^|]*\\| [^|]*\\| )«.*» \\|$");

    private static final List<Phase> UNDER_WAY = Stream.of(Phase.values())
            .filter(phase -> phase != Phase.RENDEZVOUS && phase != Phase.CLOSE)
            .toList();

    private final Map<Cell, CellOutcome> outcomes;
    private final StringBuilder text = new StringBuilder();

    private MatrixPage(Map<Cell, CellOutcome> outcomes) {
        this.outcomes = outcomes;
    }

    /** {@return the tables of those outcomes; cells without one are there, too} */
    public static String of(Map<Cell, CellOutcome> outcomes) {
        MatrixPage page = new MatrixPage(outcomes);
        page.byPhase();
        page.byTransport("At the rendezvous", Phase.RENDEZVOUS);
        page.byTransport("While the others close their groups", Phase.CLOSE);
        page.deaths();
        page.left();
        page.texts();
        page.leftOut();
        return page.text.toString();
    }

    /**
     * {@return a page with other tables}
     *
     * @throws IllegalArgumentException if it has no place for them
     */
    public static String replaced(String page, String tables) {
        return page.substring(0, begin(page)) + tables + page.substring(end(page));
    }

    /** {@return the tables of a page, without what was measured} */
    public static String frame(String page) {
        String tables = page.substring(begin(page), end(page));
        Matcher texts = TEXT.matcher(MEASUREMENT.matcher(tables).replaceAll(MEASURED));
        return texts.replaceAll("$1" + MEASURED + " |")
                .replaceAll("(?m)^(Deaths after connect|Left behind): .*$", "$1: " + MEASURED);
    }

    /** {@return what {@link #frame} gives for a page of this program} */
    public static String frame() {
        return frame(BEGIN + of(Map.of()) + END);
    }

    private static int begin(String page) {
        return require(page.indexOf(BEGIN)) + BEGIN.length();
    }

    private static int end(String page) {
        return require(page.indexOf(END));
    }

    private static int require(int place) {
        if (place < 0) {
            throw new IllegalArgumentException(
                    "a page without a place for the matrix; write " + BEGIN.strip() + " and " + END);
        }
        return place;
    }

    private void line(Stream<String> cells) {
        text.append(cells.collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private void head(String title, Stream<String> columns) {
        List<String> all = Stream.concat(Stream.of("fault"), columns).toList();
        text.append('\n').append(title).append(":\n\n");
        line(all.stream());
        text.append("|---".repeat(all.size())).append("|\n");
    }

    /** A row for each fault and transport. */
    private void byPhase() {
        head(
                "Once the ranks are connected",
                Stream.concat(
                        Stream.of("links", "then", "within"), UNDER_WAY.stream().map(Phase::label)));
        for (Fault fault : Fault.values()) {
            for (LinkKind transport : LinkKind.values()) {
                List<Cell> cells = UNDER_WAY.stream()
                        .map(phase -> new Cell(fault, phase, transport))
                        .toList();
                row(cells, fault.label(), transport.label());
            }
        }
    }

    /** A row for each fault. */
    private void byTransport(String title, Phase phase) {
        head(
                title,
                Stream.concat(
                        Stream.of("then", "within"),
                        Stream.of(LinkKind.values()).map(LinkKind::label)));
        for (Fault fault : Fault.values()) {
            row(
                    Stream.of(LinkKind.values())
                            .map(transport -> new Cell(fault, phase, transport))
                            .toList(),
                    fault.label());
        }
    }

    /** Cells that end alike, unless there are none. */
    private void row(List<Cell> cells, String... names) {
        Set<Expectation> expectations = cells.stream()
                .filter(cell -> FaultMatrix.leftOut(cell).isEmpty())
                .map(Expectations::of)
                .collect(Collectors.toSet());
        for (Expectation expectation : expectations) {
            line(Stream.of(
                            Stream.of(names),
                            Stream.of(expectation.label(), time(expectation.limit())),
                            cells.stream()
                                    .map(cell ->
                                            FaultMatrix.leftOut(cell).isEmpty() ? measured(outcomes.get(cell)) : "–"))
                    .flatMap(each -> each));
        }
    }

    private static String measured(@Nullable CellOutcome outcome) {
        if (outcome == null) {
            return NOT_HERE;
        }
        Duration after = outcome.after();
        return outcome.isGood() && after != null ? measured(after) : FAILED;
    }

    private static String measured(Duration duration) {
        long millis = duration.toMillis();
        return millis < 1_000 ? millis + " ms" : String.format(Locale.ROOT, "%.2f s", millis / 1000.0);
    }

    /** A limit, which is written otherwise than a measurement. */
    private static String time(Duration limit) {
        return "≤ " + (limit.toMillis() / 1000.0) + " s";
    }

    private void deaths() {
        List<Duration> all = outcomes.values().stream()
                .filter(outcome -> outcome.cell().fault().endsVictim()
                        && UNDER_WAY.contains(outcome.cell().phase())
                        && outcome.isGood())
                .flatMap(outcome -> Stream.ofNullable(outcome.after()))
                .sorted()
                .toList();
        text.append("\nDeaths after connect: ").append(outcomes.isEmpty() ? NOT_HERE : all.size() + " measured");
        if (!all.isEmpty()) {
            text.append(", median ").append(measured(all.get(all.size() / 2)));
            text.append(", 99th percentile ").append(measured(all.get((int) Math.ceil(all.size() * 0.99) - 1)));
        }
        text.append(".\n");
    }

    private void left() {
        Set<String> left = new TreeSet<>();
        outcomes.values()
                .forEach(outcome ->
                        outcome.left().forEach(each -> left.add(outcome.cell().name() + ": " + each)));
        text.append("\nLeft behind: ").append(leftText(left)).append(".\n");
    }

    private String leftText(Set<String> left) {
        if (outcomes.isEmpty()) {
            return NOT_HERE;
        }
        return left.isEmpty() ? "nothing, in none of the cells" : String.join("; ", left);
    }

    private void texts() {
        head("What the last survivor, or the stranger, reads over tcp", Stream.of("phase", "error"));
        for (Fault fault : Fault.values()) {
            for (Phase phase : List.of(Phase.RENDEZVOUS, Phase.BULK)) {
                Cell cell = new Cell(fault, phase, LinkKind.TCP);
                if (FaultMatrix.leftOut(cell).isEmpty() && hasText(Expectations.of(cell))) {
                    CellOutcome outcome = outcomes.get(cell);
                    String said = outcome == null || outcome.text() == null
                            ? ""
                            : outcome.text().replace("|", "\\|");
                    line(Stream.of(fault.label(), phase.label(), "«" + said + "»"));
                }
            }
        }
    }

    private static boolean hasText(Expectation expectation) {
        return switch (expectation) {
            case Told told -> true;
            case Refused refused -> true;
            case GoesOn goesOn -> false;
            case Closes closes -> false;
        };
    }

    private void leftOut() {
        text.append("\nLeft out, because there cannot be such a cell:\n\n");
        List<String> reasons = new ArrayList<>(
                Exclusion.RULES.stream().map(Exclusion::reason).distinct().toList());
        IntStream.range(0, reasons.size())
                .forEach(
                        i -> text.append("- ").append(reasons.get(i)).append(i + 1 < reasons.size() ? ";\n" : ".\n\n"));
    }
}
