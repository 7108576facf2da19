package io.reactivecomm.testkit.collective;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.testkit.Inputs;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expected content of every rank's outputs after a collective, from the {@link Inputs} of all ranks and the sequential {@link Oracle}.
 *
 * <p>A rank's inputs are one row of elements, one tensor after the other, and so are its outputs.
 */
public final class Result {

    private final Question asked;
    private final int size;
    private final int salt;
    private final Map<Integer, byte[]> inputs = new HashMap<>();
    private byte @Nullable [] folded;

    /**
     * A call, apart from who makes it.
     *
     * @param lengths as {@link TensorLayout#of} takes them
     * @param op the reduction; anything where nothing is reduced
     */
    public record Question(
            Form form,
            DType type,
            List<Long> lengths,
            int root,
            @Nullable ReduceOp op) {

        /** {@return the tensors of that rank} */
        public TensorLayout layout(int rank, int size) {
            return TensorLayout.of(form, lengths, root, rank, size);
        }
    }

    /** @param salt tells the inputs of calls apart */
    public Result(Question asked, int size, int salt) {
        this.asked = asked;
        this.size = size;
        this.salt = salt;
    }

    /** {@return the elements that a rank contributes} */
    public static byte[] given(DType type, int salt, int rank, long count) {
        return Inputs.given(type, salt, rank, count);
    }

    /** {@return what a rank puts in, one input after the other} */
    public byte[] input(int rank) {
        return inputs.computeIfAbsent(
                rank,
                each -> given(
                        asked.type(),
                        salt,
                        each,
                        TensorLayout.total(asked.layout(each, size).inputs())));
    }

    /** {@return what a rank gets, one output after the other; what it put in where that stays} */
    public byte[] output(int rank) {
        List<Long> lengths = asked.lengths();
        boolean isRoot = rank == asked.root();
        return switch (asked.form()) {
            case ALL_REDUCE, ALL_REDUCE_COALESCED, INFERENCE_ALL_REDUCE -> folded();
            case REDUCE -> isRoot ? folded() : input(rank);
            case BROADCAST -> input(asked.root());
            case REDUCE_SCATTER -> slice(folded(), rank * lengths.getFirst(), lengths.getFirst());
            case REDUCE_SCATTER_RAGGED -> slice(folded(), before(lengths, rank), lengths.get(rank));
            case ALL_GATHER, ALL_GATHER_RAGGED -> gathered();
            case ALL_GATHER_COALESCED -> interleaved();
            case ALL_TO_ALL, ALL_TO_ALL_SPLITS, ALL_TO_ALL_LISTS -> exchanged(rank);
            case SCOPE -> scoped(rank);
            case GATHER -> isRoot ? gathered() : new byte[0];
            case SCATTER -> slice(input(asked.root()), before(lengths, rank), lengths.get(rank));
            case BARRIER, MONITORED_BARRIER, NEW_GROUP -> new byte[0];
            case MESSAGE -> throw new IllegalArgumentException("not a collective");
        };
    }

    /** Tensor by tensor what its call gives. */
    private byte[] scoped(int rank) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long from = 0;
        for (int tensor = 0; tensor < asked.lengths().size(); tensor++) {
            byte[] row = switch (Form.SCOPED.get(tensor % Form.SCOPED.size())) {
                case BROADCAST -> input(asked.root());
                case REDUCE -> rank == asked.root() ? folded() : input(rank);
                default -> folded();
            };
            all.writeBytes(slice(row, from, asked.lengths().get(tensor)));
            from += asked.lengths().get(tensor);
        }
        return all.toByteArray();
    }

    private static long before(List<Long> lengths, int place) {
        return TensorLayout.total(lengths.subList(0, place));
    }

    private byte[] folded() {
        byte[] known = folded;
        ReduceOp op = asked.op();
        if (known == null && op != null) {
            known = Oracle.folded(
                    asked.type(),
                    op,
                    salt,
                    size,
                    TensorLayout.total(asked.layout(0, size).inputs()));
            folded = known;
        }
        if (known == null) {
            throw new IllegalArgumentException("a reduction is missing: call=" + asked);
        }
        return known;
    }

    private byte[] slice(byte[] row, long from, long count) {
        int width = asked.type().byteSize();
        return Arrays.copyOfRange(row, (int) from * width, (int) (from + count) * width);
    }

    /** Every rank's inputs, in rank order. */
    private byte[] gathered() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int rank = 0; rank < size; rank++) {
            all.writeBytes(input(rank));
        }
        return all.toByteArray();
    }

    /** For each tensor every rank's, in rank order. */
    private byte[] interleaved() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        List<Long> lengths = asked.lengths();
        long from = 0;
        for (long length : lengths) {
            for (int rank = 0; rank < size; rank++) {
                all.writeBytes(slice(input(rank), from, length));
            }
            from += length;
        }
        return all.toByteArray();
    }

    /** From each rank, in rank order, what it has for this one. */
    private byte[] exchanged(int rank) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int source = 0; source < size; source++) {
            List<Long> sent = asked.form() == Form.ALL_TO_ALL
                    ? Collections.nCopies(size, asked.lengths().getFirst())
                    : TensorLayout.sent(asked.lengths(), source, size);
            all.writeBytes(slice(input(source), before(sent, rank), sent.get(rank)));
        }
        return all.toByteArray();
    }
}
