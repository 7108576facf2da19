package io.reactivecomm.collective;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.Operation;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one kind, done as one: their tensors are one row, and where a call has a part for each rank, the row has all calls' parts for the
 * first rank, then all for the second.
 *
 * <pre>
 *   two all-gathers on three ranks     outputs a0 a1 a2 and b0 b1 b2     row a0 b0 | a1 b1 | a2 b2
 * </pre>
 *
 * @param members at least one; of one {@link #kind}
 */
public record Fused(List<Collective> members) implements Collective {

    private record Kind(
            Operation operation,
            Object type,
            int root,
            @Nullable String reduction) {}

    /**
     * {@return what calls have in common that can be fused}
     * A caller's own reduction may be another object with the same name. Where only pairs of ranks agree on lengths, a sum of lengths would
     * hide that they do not.
     */
    static Object kind(Collective call) {
        Signature signature = call.signature();
        boolean isPairwise = signature.count() == Signature.UNEVEN && signature.partition() == 0;
        return isPairwise || call.reduction() instanceof CustomReduction
                ? new Object()
                : new Kind(signature.operation(), signature.type(), signature.root(), signature.reduction());
    }

    private Collective first() {
        return members.getFirst();
    }

    @Override
    public Operation operation() {
        return first().operation();
    }

    @Override
    public @Nullable Reduction reduction() {
        return first().reduction();
    }

    @Override
    public Signature signature() {
        Signature one = first().signature();
        long count = 0;
        long partition = members.size() == 1 ? one.partition() : members.size();
        for (int i = 0; i < members.size(); i++) {
            Signature each = members.get(i).signature();
            count = count == Signature.UNEVEN || each.count() == Signature.UNEVEN
                    ? Signature.UNEVEN
                    : count + each.count();
            partition = members.size() == 1
                    ? partition
                    : Fingerprint.mix(Fingerprint.mix(partition, each.count()), each.partition());
        }
        return new Signature(one.operation(), one.type(), count, one.root(), one.reduction(), partition);
    }

    @Override
    public List<Tensor> inputs() {
        return inTurn(Collective::inputs);
    }

    @Override
    public List<Tensor> outputs() {
        return inTurn(Collective::outputs);
    }

    private List<Tensor> inTurn(Function<Collective, List<Tensor>> which) {
        List<Tensor> all = new ArrayList<>();
        members.forEach(member -> all.addAll(which.apply(member)));
        return all;
    }

    @Override
    public Partitions partitions(int size) {
        return new Partitions(
                sum(member -> member.partitions(size).input()),
                sum(member -> member.partitions(size).output()));
    }

    private Partition sum(Function<Collective, Partition> which) {
        List<Partition> partitions = members.stream().map(which).toList();
        long[] parts = new long[partitions.getFirst().parts()];
        for (Partition partition : partitions) {
            for (int part = 0; part < parts.length; part++) {
                parts[part] += partition.count(part);
            }
        }
        return Partition.of(parts);
    }

    @Override
    public List<Tensor> inputRow(int size) {
        return byParts(
                member -> member.inputRow(size),
                member -> member.partitions(size).input());
    }

    @Override
    public List<Tensor> outputRow(int size) {
        return byParts(
                member -> member.outputRow(size),
                member -> member.partitions(size).output());
    }

    private List<Tensor> byParts(
            Function<Collective, List<Tensor>> rowOf, Function<Collective, Partition> partitionOf) {
        List<Cursor> rows =
                members.stream().map(member -> new Cursor(rowOf.apply(member))).toList();
        if (rows.size() == 1) {
            return rows.getFirst().row;
        }
        List<Partition> partitions = members.stream().map(partitionOf).toList();
        List<Tensor> all = new ArrayList<>();
        for (int part = 0; part < partitions.getFirst().parts(); part++) {
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).move(partitions.get(i).count(part), all);
            }
        }
        return all;
    }

    /** Goes once through a row of tensors, whose parts follow each other. */
    private static final class Cursor {

        private final List<Tensor> row;
        private int tensor;
        private long element;

        private Cursor(List<Tensor> row) {
            this.row = row;
        }

        /** Adds the next so many elements, which may be in several tensors. */
        private void move(long count, List<Tensor> into) {
            long left = count;
            while (left > 0) {
                Tensor here = row.get(tensor);
                long taken = Math.min(left, here.count() - element);
                if (taken > 0) {
                    into.add(taken == here.count() ? here : here.slice(element, taken));
                }
                left -= taken;
                element += taken;
                if (element == here.count()) {
                    tensor++;
                    element = 0;
                }
            }
        }
    }

    @Override
    public Fused checkedFor(int rank, int size) {
        return this;
    }
}
