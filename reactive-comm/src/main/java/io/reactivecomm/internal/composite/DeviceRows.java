package io.reactivecomm.internal.composite;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The rows of one rank whose values are on a device: moved there to their places, in runs. Only those that stand for one place together come to the
 * host, where they are added up, and go back.
 *
 * <p><b>Threads.</b> One after the other, as the calls of the operation follow each other.
 */
final class DeviceRows {

    private final SparseRows rows;
    private final ProcessGroup group;
    private final Temporaries memory;
    /** The rows whose index stands in the tensor more than once. */
    private final int[] repeated;

    private @Nullable Tensor fetched;

    DeviceRows(SparseRows rows, ProcessGroup group, Temporaries memory) {
        this.rows = rows;
        this.group = group;
        this.memory = memory;
        long[] sorted = rows.indices().clone();
        Arrays.sort(sorted);
        long[] more = IntStream.range(1, sorted.length)
                .filter(i -> sorted[i] == sorted[i - 1])
                .mapToLong(i -> sorted[i])
                .distinct()
                .toArray();
        this.repeated = IntStream.range(0, sorted.length)
                .filter(i -> Arrays.binarySearch(more, rows.indices()[i]) >= 0)
                .toArray();
    }

    private Tensor values() {
        return rows.tensor().values();
    }

    private Tensor row(Tensor of, long first, long some) {
        return of.slice(first * rows.rowCount(), some * rows.rowCount());
    }

    /** {@return what completes once the host has the rows that it is to add up} */
    Mono<Void> fetchRepeated() {
        if (repeated.length == 0) {
            return Mono.empty();
        }
        Tensor target = memory.tensor(values().type(), repeated.length, rows.rowCount());
        fetched = target;
        return group.move(IntStream.range(0, repeated.length)
                        .mapToObj(i -> Move.copy(row(values(), repeated[i], 1), row(target, i, 1)))
                        .toList())
                .completed();
    }

    /**
     * Enqueues the rows' way to where they stand in the union.
     *
     * @param values zeroed, a row for each of the union's
     */
    Handle place(long[] union, Tensor values) {
        int[] places = RowUnion.places(rows.indices(), union);
        List<Move> moves = runs(places, values);
        Tensor parts = fetched;
        if (parts != null) {
            addUp(parts, places, values, moves);
        }
        return moves.isEmpty() ? Handle.DONE : group.move(moves);
    }

    /** {@return a move for each run of rows that stay side by side} */
    private List<Move> runs(int[] places, Tensor values) {
        List<Move> moves = new ArrayList<>();
        int i = 0;
        while (i < places.length) {
            int end = i + 1;
            if (!isRepeated(i)) {
                while (end < places.length && places[end] == places[end - 1] + 1 && !isRepeated(end)) {
                    end++;
                }
                moves.add(Move.copy(row(values(), i, end - i), row(values, places[i], end - i)));
            }
            i = end;
        }
        return moves;
    }

    private boolean isRepeated(int row) {
        return Arrays.binarySearch(repeated, row) >= 0;
    }

    private void addUp(Tensor parts, int[] places, Tensor values, List<Move> moves) {
        int[] own = IntStream.of(repeated).map(row -> places[row]).toArray();
        int[] targets = IntStream.of(own).sorted().distinct().toArray();
        Tensor sums = memory.tensor(values.type(), targets.length, rows.rowCount());
        HostRows.place(
                parts,
                IntStream.of(own)
                        .map(place -> Arrays.binarySearch(targets, place))
                        .toArray(),
                rows.rowCount(),
                sums);
        for (int i = 0; i < targets.length; i++) {
            moves.add(Move.copy(row(sums, i, 1), row(values, targets[i], 1)));
        }
    }
}
