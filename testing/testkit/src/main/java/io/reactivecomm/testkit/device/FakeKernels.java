package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.spi.CallKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the doubles, on the host's bytes and on those behind fake devices' addresses: folded in rank order with the library's kernels, so that bits
 * are those of links.
 *
 * <p><b>Threads.</b> Any.
 */
public final class FakeKernels {

    private FakeKernels() {}

    /** {@return why calls of a kind are not performed here, or null} */
    public static @Nullable String refusal(CallKind kind) {
        boolean isKnown = switch (kind.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, REDUCE_SCATTER ->
                kind.reduction() != null && kind.reduction().supports(kind.type());
            case BROADCAST, ALL_GATHER, GATHER, SCATTER, ALL_TO_ALL -> true;
            case MESSAGE, BARRIER, MONITORED_BARRIER, NEW_GROUP, COALESCED -> false;
        };
        return isKnown ? null : "fake devices do collectives of tensors, and no messages";
    }

    /**
     * Performs what the members of a group ask for. On devices all that was enqueued on the tensors before is to be done.
     *
     * @param members in rank order
     */
    public static void perform(List<Collective> members) {
        int size = members.size();
        Collective first = members.getFirst();
        int root = first.signature().root();
        switch (first.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> writeAll(folded(members), members);
            case REDUCE -> write(folded(members), members.get(root).outputRow(size));
            case BROADCAST -> writeAll(row(members.get(root).inputRow(size)), members);
            case ALL_GATHER -> writeAll(row(members, each -> each.inputRow(size).stream()), members);
            case GATHER ->
                write(
                        row(members, each -> each.inputRow(size).stream()),
                        members.get(root).outputRow(size));
            case REDUCE_SCATTER ->
                scatter(folded(members), first.partitions(size).input(), members);
            case SCATTER ->
                scatter(
                        row(members.get(root).inputRow(size)),
                        members.get(root).partitions(size).input(),
                        members);
            case ALL_TO_ALL -> exchange(members);
            case COALESCED -> performScope(members);
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, MESSAGE ->
                throw new IllegalArgumentException("not of a fake device: call=" + first.describe());
        }
    }

    private static void performScope(List<Collective> members) {
        for (int i = 0; i < ((Coalesced) members.getFirst()).members().size(); i++) {
            int place = i;
            perform(members.stream()
                    .map(each -> ((Coalesced) each).members().get(place))
                    .toList());
        }
    }

    private static MemorySegment folded(List<Collective> members) {
        Collective first = members.getFirst();
        DType type = first.signature().type();
        MemorySegment[] inputs =
                members.stream().map(each -> row(each.inputRow(members.size()))).toArray(MemorySegment[]::new);
        MemorySegment sum = MemorySegment.ofArray(new byte[(int) inputs[0].byteSize()]);
        FoldKernel kernel = Kernels.of(type, Objects.requireNonNull(first.reduction()));
        kernel.fold(
                sum,
                inputs,
                new boolean[inputs.length],
                inputs.length,
                sum.byteSize() / type.byteSize(),
                members.size());
        return sum;
    }

    /** Each rank gets from each the part that is meant for it. */
    private static void exchange(List<Collective> members) {
        int size = members.size();
        List<MemorySegment> rows =
                members.stream().map(each -> row(each.inputRow(size))).toList();
        for (int rank = 0; rank < size; rank++) {
            List<MemorySegment> parts = new ArrayList<>();
            for (int source = 0; source < size; source++) {
                Collective call = members.get(source);
                parts.add(part(rows.get(source), call, call.partitions(size).input(), rank));
            }
            write(joined(parts), members.get(rank).outputRow(size));
        }
    }

    private static void scatter(MemorySegment row, Partition parts, List<Collective> members) {
        for (int rank = 0; rank < members.size(); rank++) {
            write(part(row, members.get(rank), parts, rank), members.get(rank).outputRow(members.size()));
        }
    }

    private static MemorySegment part(MemorySegment row, Collective call, Partition parts, int rank) {
        long width = call.signature().type().byteSize();
        return row.asSlice(parts.from(rank) * width, parts.count(rank) * width);
    }

    private static MemorySegment row(List<Collective> members, Function<Collective, Stream<Tensor>> tensors) {
        return row(members.stream().flatMap(tensors).toList());
    }

    /** {@return a copy of tensors, one after the other} */
    private static MemorySegment row(List<Tensor> tensors) {
        return joined(tensors.stream().map(FakeHeap.JVM::at).toList());
    }

    private static MemorySegment joined(List<MemorySegment> parts) {
        MemorySegment row = MemorySegment.ofArray(
                new byte[parts.stream().mapToInt(part -> (int) part.byteSize()).sum()]);
        long from = 0;
        for (MemorySegment part : parts) {
            MemorySegment.copy(part, 0, row, from, part.byteSize());
            from += part.byteSize();
        }
        return row;
    }

    private static void writeAll(MemorySegment row, List<Collective> members) {
        members.forEach(each -> write(row, each.outputRow(members.size())));
    }

    private static void write(MemorySegment row, List<Tensor> tensors) {
        long from = 0;
        for (Tensor each : tensors) {
            MemorySegment.copy(row, from, FakeHeap.JVM.at(each), 0, each.byteSize());
            from += each.byteSize();
        }
    }
}
