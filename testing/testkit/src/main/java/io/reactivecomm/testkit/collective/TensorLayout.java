package io.reactivecomm.testkit.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The tensors of a call on one rank: their lengths, and where those of one side lie in those of the other if the call is in place.
 *
 * @param inputs elements of each input
 * @param outputs elements of each output
 * @param guests for each tensor of the smaller side where it lies in the other side's; empty if the call cannot be in place
 * @param guestsAreInputs which side is the smaller
 */
public record TensorLayout(List<Long> inputs, List<Long> outputs, List<Guest> guests, boolean guestsAreInputs) {

    /** The place of a tensor: in which of the other side's, from which element. */
    public record Guest(int host, long from) {}

    private static final List<Guest> IN_THE_FIRST = List.of(new Guest(0, 0));

    /**
     * {@return the tensors of a rank's call}
     *
     * @param lengths elements: of the tensor, of each tensor, of each rank's part, or from each rank to each
     * @param root the root, where there is one
     */
    public static TensorLayout of(Form form, List<Long> lengths, int root, int rank, int size) {
        return switch (form) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, MESSAGE ->
                new TensorLayout(lengths, lengths, IN_THE_FIRST, false);
            case ALL_REDUCE_COALESCED, SCOPE -> new TensorLayout(lengths, lengths, inTheSame(lengths.size()), false);
            case ALL_GATHER ->
                new TensorLayout(
                        lengths, List.of(size * lengths.getFirst()), inTheFirst(rank * lengths.getFirst()), true);
            case ALL_GATHER_RAGGED ->
                new TensorLayout(List.of(lengths.get(rank)), lengths, List.of(new Guest(rank, 0)), true);
            case ALL_GATHER_COALESCED -> coalesced(lengths, rank, size);
            case REDUCE_SCATTER ->
                new TensorLayout(
                        List.of(size * lengths.getFirst()), lengths, inTheFirst(rank * lengths.getFirst()), false);
            case REDUCE_SCATTER_RAGGED ->
                new TensorLayout(lengths, List.of(lengths.get(rank)), List.of(new Guest(rank, 0)), false);
            case ALL_TO_ALL ->
                new TensorLayout(
                        List.of(size * lengths.getFirst()), List.of(size * lengths.getFirst()), List.of(), false);
            case ALL_TO_ALL_SPLITS ->
                apart(List.of(total(sent(lengths, rank, size))), List.of(total(taken(lengths, rank, size))));
            case ALL_TO_ALL_LISTS -> apart(sent(lengths, rank, size), taken(lengths, rank, size));
            case GATHER ->
                rank == root
                        ? new TensorLayout(List.of(lengths.get(rank)), lengths, List.of(new Guest(rank, 0)), true)
                        : apart(List.of(lengths.get(rank)), List.of());
            case SCATTER ->
                rank == root
                        ? new TensorLayout(lengths, List.of(lengths.get(rank)), List.of(new Guest(rank, 0)), false)
                        : apart(List.of(), List.of(lengths.get(rank)));
            case BARRIER, MONITORED_BARRIER, NEW_GROUP -> apart(List.of(), List.of());
        };
    }

    private static TensorLayout apart(List<Long> inputs, List<Long> outputs) {
        return new TensorLayout(inputs, outputs, List.of(), false);
    }

    private static List<Guest> inTheFirst(long from) {
        return List.of(new Guest(0, from));
    }

    private static List<Guest> inTheSame(int tensors) {
        return IntStream.range(0, tensors)
                .mapToObj(tensor -> new Guest(tensor, 0))
                .toList();
    }

    private static TensorLayout coalesced(List<Long> lengths, int rank, int size) {
        List<Long> outputs = new ArrayList<>();
        List<Guest> guests = new ArrayList<>();
        for (int tensor = 0; tensor < lengths.size(); tensor++) {
            outputs.add(size * lengths.get(tensor));
            guests.add(new Guest(tensor, rank * lengths.get(tensor)));
        }
        return new TensorLayout(lengths, List.copyOf(outputs), List.copyOf(guests), true);
    }

    /** {@return of a table of who gives how much to whom what a rank gives} */
    public static List<Long> sent(List<Long> table, int rank, int size) {
        return table.subList(rank * size, (rank + 1) * size);
    }

    /** {@return what a rank gets} */
    public static List<Long> taken(List<Long> table, int rank, int size) {
        return IntStream.range(0, size)
                .mapToObj(source -> table.get(source * size + rank))
                .toList();
    }

    /** {@return the sum of lengths} */
    public static long total(List<Long> lengths) {
        return lengths.stream().mapToLong(Long::longValue).sum();
    }

    /** {@return whether one side's tensors can lie in the other's} */
    public boolean canBeInPlace() {
        return !guests.isEmpty();
    }
}
