package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * The maker of plans for one rank of one group: which of MPI's calls, with which memory, a call takes.
 *
 * <pre>
 *   all-reduce, reduce, broadcast      MPI's own, in pieces of at most {@code limit} elements
 *   all-gather                         MPI's own; a broadcast of each part where those are too long
 *   reduce-scatter                     MPI's own; a reduce of each part where those are too long
 *   all-to-all of equal parts          MPI's own; messages where those are too long
 *   all-to-all of others, gather,      messages, once all pairs of ranks agree on their lengths
 *   scatter
 * </pre>
 *
 * <p>What decides between two ways is the same on all ranks. AVG is a sum that is divided by the size, PREMUL_SUM a sum of products; each is rounded to the type
 * before the next.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Planner {

    /** The tag of all messages: they match by their order. */
    private static final int TAG = 0;

    private final MpiLibrary library;
    private final MpiCalls calls;
    private final int limit;
    private final int rank;
    private final int size;
    private final Plan plan = new Plan();

    /** @param limit elements of one of MPI's calls at most */
    private Planner(MpiLibrary library, MpiCalls calls, int limit, int rank, int size) {
        this.library = library;
        this.calls = calls;
        this.limit = limit;
        this.rank = rank;
        this.size = size;
    }

    /** {@return the plan of a call; what has to be done to its tensors first has been} */
    static Plan plan(MpiLibrary library, MpiCalls calls, int limit, int rank, int size, Collective call) {
        Planner planner = new Planner(library, calls, limit, rank, size);
        try {
            planner.add(call);
            return planner.plan;
        } catch (RuntimeException | Error e) {
            planner.plan.free();
            throw e;
        }
    }

    private void add(Collective call) {
        if (call instanceof Coalesced scope) {
            scope.fused().forEach(this::add);
            scope.messages().calls().forEach(this::add);
            return;
        }
        switch (call.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> allReduce(call);
            case REDUCE -> reduce(call);
            case BROADCAST -> broadcast(call);
            case ALL_GATHER -> allGather(call);
            case REDUCE_SCATTER -> reduceScatter(call);
            case ALL_TO_ALL -> allToAll(call);
            case GATHER -> gather(call);
            case SCATTER -> scatter(call);
            case BARRIER -> plan.collective(calls::barrier);
            case MESSAGE -> message(call);
            case MONITORED_BARRIER, NEW_GROUP, COALESCED -> throw new IllegalArgumentException("no call for MPI: call=" + call.describe());
        }
    }

    private static DType type(Collective call) {
        return call.signature().type();
    }

    private long moved(Collective call) {
        return library.constant(Constant.ofWidth(type(call)));
    }

    /** A part of a row, by elements. */
    private interface Piece {

        void take(long from, int count);
    }

    private void inPieces(long count, Piece piece) {
        for (long from = 0; from < count; from += limit) {
            piece.take(from, (int) Math.min(limit, count - from));
        }
    }

    // What reduces

    /** A reduction in MPI's words, and what is left to be done here. */
    private record Folding(Reduction reduction, DType type, long arithmetic, long operation) {}

    private Folding folding(Collective call) {
        Reduction reduction = Objects.requireNonNull(call.reduction());
        ReduceOp op = reduction instanceof ReduceOp standard ? standard : ReduceOp.SUM;
        DType type = type(call);
        return new Folding(reduction, type, library.constant(Constant.ofArithmetic(type)), library.constant(Constant.of(op, type)));
    }

    /** {@return what this rank contributes} The factor of PREMUL_SUM is in it. */
    private Row contribution(Collective call, Folding folding) {
        Row row = Row.of(call.inputRow(size), plan);
        if (!(folding.reduction instanceof PreMulSum)) {
            return row;
        }
        Row products = row.another(plan);
        fold(folding, products.memory(), row.memory());
        return products;
    }

    /** What MPI leaves to be done to a result: an average's division, and a truth value of one rank alone. */
    private void settle(Folding folding, Row result) {
        boolean isTruth = folding.type == DType.BOOL && size == 1;
        if (folding.reduction == ReduceOp.AVG || isTruth) {
            plan.after(() -> fold(folding, result.memory(), result.memory()));
        }
        plan.after(result::store);
    }

    private void fold(Folding folding, MemorySegment to, MemorySegment from) {
        FoldKernel kernel = Kernels.forLoop(folding.type, folding.reduction);
        kernel.fold(to, new MemorySegment[] {from}, new boolean[1], 1, from.byteSize() / folding.type.byteSize(), size);
    }

    private void allReduce(Collective call) {
        Folding folding = folding(call);
        Row from = contribution(call, folding);
        Row to = call.inputs().equals(call.outputs()) && !(folding.reduction instanceof PreMulSum)
                ? from
                : Row.ofResult(call.outputRow(size), plan);
        boolean isInPlace = from.address() == to.address();
        int width = folding.type.byteSize();
        inPieces(to.memory().byteSize() / width, (at, count) -> {
            long sent = isInPlace ? library.dialect().inPlace() : from.address() + at * width;
            long taken = to.address() + at * width;
            plan.collective((comm, request) -> calls.allReduce(sent, taken, count, folding.arithmetic, folding.operation, comm, request));
        });
        settle(folding, to);
    }

    private void reduce(Collective call) {
        Folding folding = folding(call);
        int root = call.signature().root();
        Row from = contribution(call, folding);
        Row result = rank == root ? Row.ofResult(call.outputRow(size), plan) : from;
        boolean isInPlace = rank == root && from.address() == result.address();
        Row to = isInPlace && !library.dialect().reducesInPlace() ? result.another(plan) : result;
        reduce(folding, from.address(), to.address(), from.memory().byteSize() / folding.type.byteSize(), root);
        if (rank == root) {
            settle(folding, to);
        }
    }

    private void reduce(Folding folding, long from, long to, long elements, int root) {
        boolean isInPlace = rank == root && from == to;
        int width = folding.type.byteSize();
        inPieces(elements, (at, count) -> {
            long sent = isInPlace ? library.dialect().inPlace() : from + at * width;
            long taken = rank == root ? to + at * width : 0;
            plan.collective((comm, request) -> calls.reduce(sent, taken, count, folding.arithmetic, folding.operation, root, comm, request));
        });
    }

    private void reduceScatter(Collective call) {
        Folding folding = folding(call);
        Partition parts = call.partitions(size).input();
        Row from = contribution(call, folding);
        Row result = Row.ofResult(call.outputRow(size), plan);
        // MPI's output is no part of its input.
        Row to = result.overlaps(from) ? result.another(plan) : result;
        int width = folding.type.byteSize();
        if (parts.isEven() && parts.count(0) <= limit) {
            int count = (int) parts.count(0);
            plan.collective((comm, request) ->
                    calls.reduceScatter(from.address(), to.address(), count, folding.arithmetic, folding.operation, comm, request));
        } else if (parts.total() <= limit) {
            long counts = ints(parts, Partition::count);
            plan.collective((comm, request) ->
                    calls.reduceScatterV(from.address(), to.address(), counts, folding.arithmetic, folding.operation, comm, request));
        } else {
            for (int part = 0; part < size; part++) {
                reduce(folding, from.address() + parts.from(part) * width, to.address(), parts.count(part), part);
            }
        }
        settle(folding, to);
    }

    // What only moves

    private void broadcast(Collective call) {
        int root = call.signature().root();
        Row row = rank == root ? Row.of(call.inputRow(size), plan) : Row.ofResult(call.outputRow(size), plan);
        broadcast(row.address(), row.memory().byteSize() / type(call).byteSize(), root, call);
        plan.after(row::store);
    }

    private void broadcast(long address, long elements, int root, Collective call) {
        long moved = moved(call);
        int width = type(call).byteSize();
        inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.collective((comm, request) -> calls.broadcast(piece, count, moved, root, comm, request));
        });
    }

    private void allGather(Collective call) {
        Partition parts = call.partitions(size).output();
        Row from = Row.of(call.inputRow(size), plan);
        Row to = Row.ofResult(call.outputRow(size), plan);
        int width = type(call).byteSize();
        long moved = moved(call);
        // MPI wants it in place on all ranks or on none, and they do not know of each other. It would copy the part, too.
        copy(from.memory(), 0, to.memory(), parts.from(rank) * width, parts.count(rank) * width);
        long sent = library.dialect().inPlace();
        if (parts.isEven() && parts.count(0) <= limit) {
            int count = (int) parts.count(0);
            plan.collective((comm, request) -> calls.allGather(sent, count, moved, to.address(), count, moved, comm, request));
        } else if (parts.total() <= limit) {
            int count = (int) parts.count(rank);
            long counts = ints(parts, Partition::count);
            long starts = ints(parts, Partition::from);
            plan.collective((comm, request) -> calls.allGatherV(sent, count, moved, to.address(), counts, starts, moved, comm, request));
        } else {
            for (int part = 0; part < size; part++) {
                broadcast(to.address() + parts.from(part) * width, parts.count(part), part, call);
            }
        }
        plan.after(to::store);
    }

    private void allToAll(Collective call) {
        Partition sends = call.partitions(size).input();
        Partition takes = call.partitions(size).output();
        Row from = Row.of(call.inputRow(size), plan);
        Row to = Row.ofResult(call.outputRow(size), plan);
        boolean isAgreed = call.signature().isEven();
        if (isAgreed && sends.count(0) <= limit) {
            int count = (int) sends.count(0);
            long moved = moved(call);
            plan.collective((comm, request) -> calls.allToAll(from.address(), count, moved, to.address(), count, moved, comm, request));
        } else {
            if (!isAgreed) {
                plan.check(PairCheck.of(call, sends, takes));
            }
            exchange(call, from, sends, to, takes);
        }
        plan.after(to::store);
    }

    private void gather(Collective call) {
        int root = call.signature().root();
        Row from = Row.of(call.inputRow(size), plan);
        Row to = Row.ofResult(call.outputRow(size), plan);
        Partition sends = only(root, from, call);
        Partition takes = rank == root ? call.partitions(size).output() : Partition.even(size, 0);
        plan.check(PairCheck.of(call, sends, takes));
        exchange(call, from, sends, to, takes);
        plan.after(to::store);
    }

    private void scatter(Collective call) {
        int root = call.signature().root();
        Row from = Row.of(call.inputRow(size), plan);
        Row to = Row.ofResult(call.outputRow(size), plan);
        Partition sends = rank == root ? call.partitions(size).input() : Partition.even(size, 0);
        Partition takes = only(root, to, call);
        plan.check(PairCheck.of(call, sends, takes));
        exchange(call, from, sends, to, takes);
        plan.after(to::store);
    }

    /** {@return a partition of a row that is one rank's alone} */
    private Partition only(int whose, Row row, Collective call) {
        long[] counts = new long[size];
        counts[whose] = row.memory().byteSize() / type(call).byteSize();
        return Partition.of(counts);
    }

    /** Each two ranks send each other their parts; a rank's own is copied. */
    private void exchange(Collective call, Row from, Partition sends, Row to, Partition takes) {
        int width = type(call).byteSize();
        copy(from.memory(), sends.from(rank) * width, to.memory(), takes.from(rank) * width, sends.count(rank) * width);
        for (int step = 1; step < size; step++) {
            int source = Math.floorMod(rank - step, size);
            int destination = (rank + step) % size;
            receive(to.address() + takes.from(source) * width, takes.count(source), source, call);
            send(from.address() + sends.from(destination) * width, sends.count(destination), destination, call);
        }
    }

    private static void copy(MemorySegment from, long fromByte, MemorySegment to, long toByte, long bytes) {
        if (bytes > 0 && from.address() + fromByte != to.address() + toByte) {
            MemorySegment.copy(from, fromByte, to, toByte, bytes);
        }
    }

    private void message(Collective call) {
        if (call instanceof Send message) {
            Row row = Row.of(call.inputRow(size), plan);
            send(row.address(), message.tensor().count(), message.peer(), call);
        } else if (call instanceof Receive message) {
            Row row = Row.ofResult(call.outputRow(size), plan);
            receive(row.address(), message.tensor().count(), message.peer(), call);
        } else {
            throw new IllegalArgumentException("no message: call=" + call.describe());
        }
    }

    private void send(long address, long elements, int peer, Collective call) {
        long moved = moved(call);
        int width = type(call).byteSize();
        inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.message((comm, request) -> calls.send(piece, count, moved, peer, TAG, comm, request));
        });
    }

    private void receive(long address, long elements, int peer, Collective call) {
        long moved = moved(call);
        int width = type(call).byteSize();
        inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.message((comm, request) -> calls.receive(piece, count, moved, peer, TAG, comm, request));
        });
    }

    /** A number of a part. */
    private interface OfPart {

        long of(Partition parts, int part);
    }

    /** {@return the address of an array of ints, one for each part} Only for rows whose elements an int counts. */
    private long ints(Partition parts, OfPart which) {
        Tensor array = plan.keep(Tensor.allocate(DType.INT32, size));
        for (int part = 0; part < size; part++) {
            array.segment().setAtIndex(ValueLayout.JAVA_INT, part, (int) which.of(parts, part));
        }
        return array.segment().address();
    }
}
