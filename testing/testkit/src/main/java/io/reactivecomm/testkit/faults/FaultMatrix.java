package io.reactivecomm.testkit.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All faults × phases × transports that there can be, and the few that every run of the tests has. */
public final class FaultMatrix {

    /** Apart from the numbers of phases and transports, so that a fault's next draw is in another phase. */
    private static final int STRIDE = 5;

    private FaultMatrix() {}

    /** {@return all cells, by fault, phase and transport} */
    public static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            cells.addAll(cells(fault));
        }
        return cells;
    }

    private static List<Cell> cells(Fault fault) {
        List<Cell> cells = new ArrayList<>();
        for (Phase phase : Phase.values()) {
            for (LinkKind transport : LinkKind.values()) {
                Cell cell = new Cell(fault, phase, transport);
                if (leftOut(cell).isEmpty()) {
                    cells.add(cell);
                }
            }
        }
        return cells;
    }

    /** {@return why there is no such cell, or nothing if there is} */
    public static Optional<String> leftOut(Cell cell) {
        return Exclusion.reason(cell);
    }

    /**
     * {@return a cell of each fault}
     *
     * <p>The n-th fault gives its (5·n)-th cell, counted around. So phases and transports differ from fault to fault, and all runs of the
     * tests have the same cells.
     */
    public static List<Cell> oneOfEachFault() {
        return Stream.of(Fault.values())
                .map(fault -> {
                    List<Cell> cells = cells(fault);
                    return cells.get(fault.ordinal() * STRIDE % cells.size());
                })
                .toList();
    }

    /** {@return the cells whose name begins with one of the comma-separated words} */
    public static List<Cell> named(String words) {
        List<String> beginnings = List.of(words.split(","));
        return cells().stream()
                .filter(cell -> beginnings.stream().anyMatch(cell.name()::startsWith))
                .sorted(Comparator.comparing(Cell::fault))
                .toList();
    }
}
