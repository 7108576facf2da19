package io.reactivecomm.testkit.collective;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.TensorHome;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** A call of several tensors or parts with tensors for all ranks: it assembles the ranks' calls, and checks what they did. */
final class RowRun {

    private final Result.Question wanted;
    private final ReduceOp op;
    private final boolean inPlace;
    private final int size;
    private final int salt;
    private final TensorHome home;
    private final Result result;
    private final List<List<Tensor>> inputs = new ArrayList<>();
    private final List<List<Tensor>> outputs = new ArrayList<>();

    /** @param salt tells this run's data from that of others */
    RowRun(Result.Question wanted, boolean inPlace, int size, int salt, GuardedMemory memory) {
        this.wanted = wanted;
        this.op = wanted.op() == null ? ReduceOp.SUM : wanted.op();
        // Coalesced all-reduces have no outputs of their own.
        this.inPlace = inPlace
                || wanted.form() == Form.ALL_REDUCE_COALESCED
                || wanted.form().hasOneTensor();
        this.size = size;
        this.salt = salt;
        this.home = memory.home();
        this.result = new Result(wanted, size, salt);
        for (int rank = 0; rank < size; rank++) {
            allocate(wanted.layout(rank, size), memory);
        }
        fill();
    }

    private void allocate(TensorLayout layout, GuardedMemory memory) {
        boolean shares = inPlace && layout.canBeInPlace();
        if (shares && layout.guestsAreInputs()) {
            List<Tensor> hosts = tensors(layout.outputs(), memory);
            outputs.add(hosts);
            inputs.add(guests(layout, layout.inputs(), hosts));
        } else {
            List<Tensor> hosts = tensors(layout.inputs(), memory);
            inputs.add(hosts);
            outputs.add(shares ? guests(layout, layout.outputs(), hosts) : tensors(layout.outputs(), memory));
        }
    }

    private List<Tensor> tensors(List<Long> lengths, GuardedMemory memory) {
        return lengths.stream()
                .map(length -> memory.tensor(salt, wanted.type(), length))
                .toList();
    }

    private static List<Tensor> guests(TensorLayout layout, List<Long> lengths, List<Tensor> hosts) {
        List<Tensor> guests = new ArrayList<>();
        for (int i = 0; i < lengths.size(); i++) {
            TensorLayout.Guest place = layout.guests().get(i);
            guests.add(hosts.get(place.host()).slice(place.from(), lengths.get(i)));
        }
        return guests;
    }

    /** Scribbles over all outputs, then writes all inputs: the state before the call. */
    void fill() {
        for (int rank = 0; rank < size; rank++) {
            outputs.get(rank).forEach(output -> home.write(GuardedMemory.stale(output.byteSize()), output));
            MemorySegment row = MemorySegment.ofArray(result.input(rank));
            long from = 0;
            for (Tensor input : inputs.get(rank)) {
                home.write(row.asSlice(from, input.byteSize()), input);
                from += input.byteSize();
            }
        }
    }

    /** {@return this rank's call, assembled} */
    Mono<Work> assemble(ProcessGroup group) {
        List<Tensor> in = inputs.get(group.rank());
        List<Tensor> out = outputs.get(group.rank());
        return switch (wanted.form()) {
            case ALL_REDUCE -> group.allReduce(in.getFirst(), out.getFirst(), op);
            case ALL_REDUCE_COALESCED -> group.allReduceCoalesced(out, op);
            case INFERENCE_ALL_REDUCE -> group.inferenceAllReduce(out.getFirst(), op);
            case REDUCE -> group.reduce(out.getFirst(), wanted.root(), op);
            case BROADCAST -> group.broadcast(out.getFirst(), wanted.root());
            case ALL_GATHER -> group.allGather(in.getFirst(), out.getFirst());
            case ALL_GATHER_RAGGED -> group.allGather(in.getFirst(), out);
            case ALL_GATHER_COALESCED -> group.allGatherCoalesced(in, out);
            case REDUCE_SCATTER -> group.reduceScatter(in.getFirst(), out.getFirst(), op);
            case REDUCE_SCATTER_RAGGED -> group.reduceScatter(in, out.getFirst(), op);
            case ALL_TO_ALL -> group.allToAll(in.getFirst(), out.getFirst());
            case ALL_TO_ALL_SPLITS ->
                group.allToAll(
                        in.getFirst(),
                        array(TensorLayout.sent(wanted.lengths(), group.rank(), size)),
                        out.getFirst(),
                        array(TensorLayout.taken(wanted.lengths(), group.rank(), size)));
            case ALL_TO_ALL_LISTS -> group.allToAll(in, out);
            case GATHER -> group.gather(in.getFirst(), out, wanted.root());
            case SCATTER -> group.scatter(in, out.getFirst(), wanted.root());
            case SCOPE -> group.coalesce(scope -> scoped(scope, out));
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, MESSAGE ->
                throw new IllegalArgumentException("moves no row: " + wanted);
        };
    }

    private void scoped(CoalesceScope scope, List<Tensor> tensors) {
        for (int i = 0; i < tensors.size(); i++) {
            switch (Form.SCOPED.get(i % Form.SCOPED.size())) {
                case BROADCAST -> scope.broadcast(tensors.get(i), wanted.root());
                case REDUCE -> scope.reduce(tensors.get(i), wanted.root(), op);
                default -> scope.allReduce(tensors.get(i), op);
            }
        }
    }

    private static long[] array(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    /** Requires every rank's result to be the oracle's, bit by bit, and what is only read to be as it was. */
    void verify() {
        for (int rank = 0; rank < size; rank++) {
            requireRow(rank, "result", outputs.get(rank), result.output(rank));
            if (!inPlace) {
                requireRow(rank, "input", inputs.get(rank), result.input(rank));
            }
        }
    }

    private void requireRow(int rank, String what, List<Tensor> tensors, byte[] expected) {
        MemorySegment row = MemorySegment.ofArray(expected);
        long from = 0;
        for (int i = 0; i < tensors.size(); i++) {
            MemorySegment tensor = home.read(tensors.get(i));
            long at = MemorySegment.mismatch(tensor, 0, tensor.byteSize(), row, from, from + tensor.byteSize());
            if (at >= 0) {
                throw new AssertionError(what + " differs from the oracle: tensor=" + i + ", byte=" + at + ", rank="
                        + rank + ", " + this);
            }
            from += tensor.byteSize();
        }
        if (from != expected.length) {
            throw new AssertionError(
                    what + " has the wrong length: bytes=" + from + ", expected=" + expected.length + ", " + this);
        }
    }

    @Override
    public String toString() {
        return wanted + ", inPlace=" + inPlace + ", size=" + size + ", salt=" + salt;
    }
}
