package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The part of a {@link Planner} for what reduces.
 *
 * <pre>
 *   all-reduce, reduce      MPI's own, in pieces of at most {@code limit} elements
 *   reduce-scatter          MPI's own; a reduce of each part where those are too long
 * </pre>
 *
 * <p>AVG is a sum that is divided by the size, PREMUL_SUM a sum of products; each is rounded to the type before the next.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class ReductionPlanner {

    private final PlanPlace place;
    private final Plan plan;

    /** @param plan what is added to */
    ReductionPlanner(PlanPlace place, Plan plan) {
        this.place = place;
        this.plan = plan;
    }

    /** A reduction in MPI's words, and what is left to be done here. */
    private record Folding(Reduction reduction, DType type, long arithmetic, long operation) {}

    private Folding folding(Collective call) {
        Reduction reduction = Objects.requireNonNull(call.reduction());
        ReduceOp op = reduction instanceof ReduceOp standard ? standard : ReduceOp.SUM;
        DType type = call.signature().type();
        return new Folding(
                reduction,
                type,
                place.library().constant(Constant.ofArithmetic(type)),
                place.library().constant(Constant.of(op, type)));
    }

    /** {@return what this rank contributes} The factor of PREMUL_SUM is in it. */
    private MpiRow contribution(Collective call, Folding folding) {
        MpiRow row = MpiRow.of(call.inputRow(place.size()), plan);
        if (!(folding.reduction instanceof PreMulSum)) {
            return row;
        }
        MpiRow products = row.another(plan);
        fold(folding, products.memory(), row.memory());
        return products;
    }

    /** What MPI leaves to be done to a result: an average's division, and a truth value of one rank alone. */
    private void settle(Folding folding, MpiRow result) {
        boolean isTruth = folding.type == DType.BOOL && place.size() == 1;
        if (folding.reduction == ReduceOp.AVG || isTruth) {
            plan.after(() -> fold(folding, result.memory(), result.memory()));
        }
        plan.after(result::store);
    }

    private void fold(Folding folding, MemorySegment to, MemorySegment from) {
        place.folds().fold(folding.type, folding.reduction, to, from, place.size());
    }

    /** MPI wants it in place on all ranks or on none, and they do not know of each other: so it always is. It would copy the input, too. */
    void allReduce(Collective call) {
        Folding folding = folding(call);
        MpiRow from = MpiRow.of(call.inputRow(place.size()), plan);
        MpiRow to = call.inputs().equals(call.outputs()) ? from : MpiRow.ofResult(call.outputRow(place.size()), plan);
        if (folding.reduction instanceof PreMulSum) {
            fold(folding, to.memory(), from.memory());
        } else {
            to.take(from);
        }
        int width = folding.type.byteSize();
        place.inPieces(to.memory().byteSize() / width, (at, count) -> {
            long piece = to.address() + at * width;
            long inPlace = place.library().dialect().inPlace();
            plan.collective((comm, request) -> place.calls()
                    .allReduce(inPlace, piece, count, folding.arithmetic, folding.operation, comm, request));
        });
        settle(folding, to);
    }

    void reduce(Collective call) {
        Folding folding = folding(call);
        int root = call.signature().root();
        MpiRow from = contribution(call, folding);
        MpiRow result = place.rank() == root ? MpiRow.ofResult(call.outputRow(place.size()), plan) : from;
        boolean isInPlace = place.rank() == root && from.address() == result.address();
        MpiRow to = isInPlace && !place.library().dialect().reducesInPlace() ? result.another(plan) : result;
        reduce(folding, from.address(), to.address(), from.memory().byteSize() / folding.type.byteSize(), root);
        if (place.rank() == root) {
            settle(folding, to);
        }
    }

    private void reduce(Folding folding, long from, long to, long elements, int root) {
        boolean isInPlace = place.rank() == root && from == to;
        int width = folding.type.byteSize();
        place.inPieces(elements, (at, count) -> {
            long sent = isInPlace ? place.library().dialect().inPlace() : from + at * width;
            long taken = place.rank() == root ? to + at * width : 0;
            plan.collective((comm, request) -> place.calls()
                    .reduce(sent, taken, count, folding.arithmetic, folding.operation, root, comm, request));
        });
    }

    void reduceScatter(Collective call) {
        Folding folding = folding(call);
        Partition parts = call.partitions(place.size()).input();
        MpiRow from = contribution(call, folding);
        MpiRow result = MpiRow.ofResult(call.outputRow(place.size()), plan);
        // MPI's output is no part of its input.
        MpiRow to = result.overlaps(from) ? result.another(plan) : result;
        int width = folding.type.byteSize();
        if (parts.isEven() && parts.total() <= place.limit()) {
            int count = (int) parts.count(0);
            plan.collective((comm, request) -> place.calls()
                    .reduceScatter(
                            from.address(), to.address(), count, folding.arithmetic, folding.operation, comm, request));
        } else if (parts.total() <= place.limit()) {
            long counts = place.ints(parts, Partition::count, plan);
            plan.collective((comm, request) -> place.calls()
                    .reduceScatterV(
                            from.address(),
                            to.address(),
                            counts,
                            folding.arithmetic,
                            folding.operation,
                            comm,
                            request));
        } else {
            for (int part = 0; part < place.size(); part++) {
                reduce(folding, from.address() + parts.from(part) * width, to.address(), parts.count(part), part);
            }
        }
        settle(folding, to);
    }
}
