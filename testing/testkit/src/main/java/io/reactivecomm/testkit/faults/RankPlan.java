package io.reactivecomm.testkit.faults;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of a process in a cell, as one line.
 *
 * @param rank its rank; of a local world the process has all
 * @param host where the store is
 * @param hosted whether somebody else than rank 0 runs the store
 */
record RankPlan(Cell cell, int rank, String host, int port, boolean hosted, String token) {

    /** Three, so that two are left who must agree. */
    static final int RANKS = 3;

    /** Not rank 0, which may run the store, and whose name would be said by chance. */
    static final int VICTIM = 2;

    /** How long a rank waits for the others: longer than the store's first report on who is missing, and then some. */
    static final Duration MEETING_LIMIT = Duration.ofSeconds(15);

    /** {@return a copy for that rank} */
    RankPlan withRank(int rank) {
        return new RankPlan(cell, rank, host, port, hosted, token);
    }

    /** {@return a copy with that token} */
    RankPlan withToken(String token) {
        return new RankPlan(cell, rank, host, port, hosted, token);
    }

    /** {@return the line; no value has a blank} */
    String line() {
        Map<String, Object> values = new TreeMap<>(Map.of(
                "fault", cell.fault(),
                "phase", cell.phase(),
                "transport", cell.transport(),
                "rank", rank,
                "host", host,
                "port", port,
                "hosted", hosted,
                "token", token));
        return values.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(" "));
    }

    /** {@return what a line says} */
    static RankPlan parse(String line) {
        Map<String, String> values = Stream.of(line.split(" "))
                .collect(Collectors.toMap(
                        each -> each.substring(0, each.indexOf('=')), each -> each.substring(each.indexOf('=') + 1)));
        Cell cell = new Cell(
                Fault.valueOf(value(values, "fault")),
                Phase.valueOf(value(values, "phase")),
                LinkKind.valueOf(value(values, "transport")));
        return new RankPlan(
                cell,
                Integer.parseInt(value(values, "rank")),
                value(values, "host"),
                Integer.parseInt(value(values, "port")),
                Boolean.parseBoolean(value(values, "hosted")),
                value(values, "token"));
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("a plan lacks a value: name=" + name + ", values=" + values);
        }
        return value;
    }
}
