package io.reactivecomm.simulator;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllGatherCoalesced;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.AllToAll;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Gather;
import io.reactivecomm.collective.InferenceAllReduce;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.collective.NewGroup;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.collective.ReduceScatter;
import io.reactivecomm.collective.Scatter;
import io.reactivecomm.testkit.SeededRandom;
import io.reactivecomm.testkit.collective.Form;
import io.reactivecomm.testkit.collective.TensorLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The shape of a call, apart from the tensors: all that ranks agree on, and whether input and output share memory, on which they need not.
 *
 * @param lengths elements: of the tensor, of each tensor, of each rank's part, or from each rank to each; for a new group its members
 * @param root the root in the group, where there is one
 * @param op the reduction, where there is one
 */
record Shape(Form form, DType type, List<Long> lengths, int root, ReduceOp op, boolean inPlace) {

    Shape {
        lengths = List.copyOf(lengths);
    }

    /** {@return a call without tensors} */
    static Shape silent(Form form, boolean option) {
        return new Shape(form, DType.UINT8, List.of(), 0, ReduceOp.SUM, option);
    }

    Operation operation() {
        return form.operation();
    }

    Shape withLengths(List<Long> other) {
        return new Shape(form, type, other, root, op, inPlace);
    }

    Shape withForm(Form other, List<Long> itsLengths) {
        return new Shape(other, type, itsLengths, root, op, inPlace);
    }

    /** {@return the same call as a rank may also make it, where ranks need not agree on that} */
    Shape asCalledBy(SeededRandom dice, int size) {
        Shape own = new Shape(form, type, lengths, root, op, dice.percent(40));
        boolean otherwise = dice.percent(30);
        return switch (form) {
            case ALL_GATHER ->
                otherwise ? own.withForm(Form.ALL_GATHER_RAGGED, Collections.nCopies(size, lengths.getFirst())) : own;
            case REDUCE_SCATTER ->
                otherwise
                        ? own.withForm(Form.REDUCE_SCATTER_RAGGED, Collections.nCopies(size, lengths.getFirst()))
                        : own;
            case ALL_TO_ALL_SPLITS -> otherwise ? own.withForm(Form.ALL_TO_ALL_LISTS, lengths) : own;
            default -> own;
        };
    }

    /** {@return the tensors of that rank} */
    TensorLayout layout(int rank, int size) {
        return TensorLayout.of(form, lengths, root, rank, size);
    }

    /** {@return the call, for operations without a peer} */
    Collective collective(List<Tensor> inputs, List<Tensor> outputs, int rank, int size) {
        return switch (form) {
            case ALL_REDUCE, ALL_REDUCE_COALESCED -> new AllReduce(inputs, outputs, op);
            case INFERENCE_ALL_REDUCE -> new InferenceAllReduce(outputs.getFirst(), op);
            case REDUCE -> new Reduce(outputs.getFirst(), root, op);
            case BROADCAST -> new Broadcast(outputs.getFirst(), root);
            case ALL_GATHER -> new AllGather(inputs.getFirst(), outputs.getFirst());
            case ALL_GATHER_RAGGED -> new AllGather(inputs.getFirst(), outputs);
            case ALL_GATHER_COALESCED -> new AllGatherCoalesced(inputs, outputs);
            case REDUCE_SCATTER -> new ReduceScatter(inputs.getFirst(), outputs.getFirst(), op);
            case REDUCE_SCATTER_RAGGED -> new ReduceScatter(inputs, outputs.getFirst(), op);
            case ALL_TO_ALL -> new AllToAll(inputs.getFirst(), outputs.getFirst());
            case ALL_TO_ALL_SPLITS ->
                new AllToAll(
                        inputs.getFirst(),
                        array(TensorLayout.sent(lengths, rank, size)),
                        outputs.getFirst(),
                        array(TensorLayout.taken(lengths, rank, size)));
            case ALL_TO_ALL_LISTS -> new AllToAll(inputs, outputs);
            case GATHER -> new Gather(inputs.getFirst(), outputs, root);
            case SCATTER -> new Scatter(inputs, outputs.getFirst(), root);
            case BARRIER -> new Barrier();
            case MONITORED_BARRIER -> new MonitoredBarrier(true);
            case NEW_GROUP ->
                NewGroup.of(lengths.stream().mapToInt(Long::intValue).toArray());
            case SCOPE ->
                new Coalesced(IntStream.range(0, outputs.size())
                        .mapToObj(i -> scoped(i, outputs.get(i)))
                        .toList());
            case MESSAGE -> throw new IllegalArgumentException("a message has a peer");
        };
    }

    private Collective scoped(int place, Tensor tensor) {
        return switch (Form.SCOPED.get(place % Form.SCOPED.size())) {
            case BROADCAST -> new Broadcast(tensor, root);
            case REDUCE -> new Reduce(tensor, root, op);
            default -> new AllReduce(tensor, tensor, op);
        };
    }

    private static long[] array(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * The call of a rank that disagrees.
     *
     * @param against the only rank that can see it, or {@link #EVERYONE}
     */
    record Odd(Shape shape, int against) {

        static final int EVERYONE = -1;
    }

    /** {@return what that rank could call instead} */
    Odd otherThan(SeededRandom dice, int rank, int size) {
        while (true) {
            int against = form.isPairwise() ? (rank + 1 + dice.below(size - 1)) % size : Odd.EVERYONE;
            Odd odd = switch (form.isSilent() ? 3 : dice.below(5)) {
                case 0, 1 ->
                    form.isPairwise()
                            ? otherPair(dice, rank, against, size)
                            : new Odd(otherLengths(dice), Odd.EVERYONE);
                case 2 -> new Odd(ofType(type == DType.INT32 ? DType.FLOAT32 : DType.INT32), Odd.EVERYONE);
                case 3 -> new Odd(form.reduces() ? ofOtherReduction() : otherForm(dice, size), Odd.EVERYONE);
                default -> new Odd(form.hasRoot() ? ofRoot(dice.below(size)) : this, Odd.EVERYONE);
            };
            if (!odd.shape.equals(this)) {
                return odd;
            }
        }
    }

    /** Between two ranks only; the root agrees with itself. */
    private Odd otherPair(SeededRandom dice, int rank, int against, int size) {
        int from =
                form == Form.GATHER || form == Form.SCATTER ? (rank == root ? against : rank) : rank * size + against;
        boolean isStar = form == Form.GATHER || form == Form.SCATTER;
        return new Odd(withLengths(changed(from, dice)), isStar && rank != root ? root : against);
    }

    private List<Long> changed(int place, SeededRandom dice) {
        List<Long> other = new ArrayList<>(lengths);
        long before = other.get(place);
        other.set(place, before == 0 ? 5L : dice.below((int) before));
        return other;
    }

    /** One length differs, or the same elements are cut otherwise. */
    private Shape otherLengths(SeededRandom dice) {
        int place = dice.below(lengths.size());
        if (lengths.size() == 1 || lengths.get(place) == 0 || dice.percent(50)) {
            return withLengths(changed(place, dice));
        }
        List<Long> other = new ArrayList<>(lengths);
        int next = (place + 1) % other.size();
        other.set(place, other.get(place) - 1);
        other.set(next, other.get(next) + 1);
        return withLengths(other);
    }

    private Shape ofType(DType other) {
        return form.reduces() && !op.supports(other) ? this : new Shape(form, other, lengths, root, op, inPlace);
    }

    private Shape ofRoot(int other) {
        return new Shape(form, type, lengths, other, op, inPlace);
    }

    private Shape ofOtherReduction() {
        return new Shape(form, type, lengths, root, op == ReduceOp.MIN ? ReduceOp.MAX : ReduceOp.MIN, inPlace);
    }

    private Shape otherForm(SeededRandom dice, int size) {
        return switch (form) {
            case MESSAGE -> withLengths(List.of(lengths.getFirst() + 1));
            case BARRIER, MONITORED_BARRIER ->
                new Shape(Form.ALL_REDUCE, DType.INT32, List.of(3L), 0, ReduceOp.SUM, inPlace);
            case NEW_GROUP -> otherMembers(dice, size);
            default -> silent(Form.BARRIER, inPlace);
        };
    }

    private Shape otherMembers(SeededRandom dice, int size) {
        if (lengths.size() > 1) {
            List<Long> turned = new ArrayList<>(lengths);
            Collections.swap(turned, 0, 1 + dice.below(turned.size() - 1));
            return withLengths(turned);
        }
        return withLengths(List.of((lengths.getFirst() + 1) % size));
    }

    @Override
    public String toString() {
        return form + "(" + type + " × " + lengths + (form.hasRoot() ? ", root=" + root : "")
                + (form.reduces() ? ", " + op : "") + ")" + (inPlace ? " in place" : "");
    }
}
