package io.reactivecomm.rcomm.perf;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The standing of an entrant at the end: the medians over the rounds.
 *
 * @param entrant who
 * @param rows a row for each size, and for each way in which a peer makes the calls of a list
 */
record Standing(Entrant entrant, List<PerfRow> rows) {

    /** The facts that rows of different rounds share if they tell of the same. */
    private record Key(long bytes, String algorithm) {}

    /** {@return the medians of what was measured of it in all rounds} */
    static Standing of(Entrant entrant, Collection<PerfRow> rows) {
        Map<Key, List<PerfRow>> rounds = rows.stream()
                .collect(Collectors.groupingBy(
                        row -> new Key(row.bytes(), row.algorithm()), LinkedHashMap::new, Collectors.toList()));
        return new Standing(
                entrant, rounds.values().stream().map(Standing::median).toList());
    }

    /** Times as of the median round; the least and the greatest mean and all errors of any. */
    private static PerfRow median(List<PerfRow> rounds) {
        PerfRow first = rounds.getFirst();
        double micros = BatchMeans.of(rounds.stream().map(PerfRow::medianMicros).toList())
                .median();
        double faster = first.medianMicros() / micros;
        return new PerfRow(
                first.op(),
                first.ranks(),
                first.bytes(),
                first.transport(),
                first.buffers(),
                first.dtype(),
                first.algorithm(),
                micros,
                rounds.stream().mapToDouble(PerfRow::minMicros).min().orElse(micros),
                rounds.stream().mapToDouble(PerfRow::maxMicros).max().orElse(micros),
                first.algbwGBps() * faster,
                first.busbwGBps() * faster,
                rounds.stream().mapToLong(PerfRow::errors).sum());
    }

    boolean isOurs() {
        return entrant.isOurs();
    }
}
