package io.reactivecomm.mpi;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import java.lang.foreign.MemorySegment;

/**
 * The part of a {@link Planner} for what only moves.
 *
 * <pre>
 *   broadcast                          MPI's own, in pieces of at most {@code limit} elements
 *   all-gather                         MPI's own; a broadcast of each part where those are too long
 *   all-to-all of equal parts          MPI's own; messages where those are too long
 *   all-to-all of others, gather,      messages, whose lengths the sequencer has compared
 *   scatter
 * </pre>
 *
 * <p><b>Threads.</b> One at a time.
 */
final class MovePlanner {

    /** The tag of all messages: they match by their order. */
    private static final int TAG = 0;

    private final PlanPlace place;
    private final Plan plan;

    /** @param plan what is added to */
    MovePlanner(PlanPlace place, Plan plan) {
        this.place = place;
        this.plan = plan;
    }

    void broadcast(Collective call) {
        int root = call.signature().root();
        MpiRow row = place.rank() == root
                ? MpiRow.of(call.inputRow(place.size()), plan)
                : MpiRow.ofResult(call.outputRow(place.size()), plan);
        broadcast(
                row.address(), row.memory().byteSize() / call.signature().type().byteSize(), root, call);
        if (place.rank() != root) {
            plan.after(row::store);
        }
    }

    private void broadcast(long address, long elements, int root, Collective call) {
        long moved = place.moved(call);
        int width = call.signature().type().byteSize();
        place.inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.collective((comm, request) -> place.calls().broadcast(piece, count, moved, root, comm, request));
        });
    }

    void allGather(Collective call) {
        Partition parts = call.partitions(place.size()).output();
        MpiRow from = MpiRow.of(call.inputRow(place.size()), plan);
        MpiRow to = MpiRow.ofResult(call.outputRow(place.size()), plan);
        int width = call.signature().type().byteSize();
        long moved = place.moved(call);
        // MPI wants it in place on all ranks or on none, and they do not know of each other. It would copy the part,
        // too.
        copy(from.memory(), 0, to.memory(), parts.from(place.rank()) * width, parts.count(place.rank()) * width);
        long sent = place.library().dialect().inPlace();
        if (parts.isEven() && parts.total() <= place.limit()) {
            int count = (int) parts.count(0);
            plan.collective((comm, request) ->
                    place.calls().allGather(sent, count, moved, to.address(), count, moved, comm, request));
        } else if (parts.total() <= place.limit()) {
            int count = (int) parts.count(place.rank());
            long counts = place.ints(parts, Partition::count, plan);
            long starts = place.ints(parts, Partition::from, plan);
            plan.collective((comm, request) ->
                    place.calls().allGatherV(sent, count, moved, to.address(), counts, starts, moved, comm, request));
        } else {
            for (int part = 0; part < place.size(); part++) {
                broadcast(to.address() + parts.from(part) * width, parts.count(part), part, call);
            }
        }
        plan.after(to::store);
    }

    void allToAll(Collective call) {
        Partition sends = call.partitions(place.size()).input();
        Partition takes = call.partitions(place.size()).output();
        MpiRow from = MpiRow.of(call.inputRow(place.size()), plan);
        MpiRow to = MpiRow.ofResult(call.outputRow(place.size()), plan);
        if (call.signature().isEven() && sends.total() <= place.limit()) {
            int count = (int) sends.count(0);
            long moved = place.moved(call);
            plan.collective((comm, request) ->
                    place.calls().allToAll(from.address(), count, moved, to.address(), count, moved, comm, request));
        } else {
            exchange(call, from, sends, to, takes);
        }
        plan.after(to::store);
    }

    void gather(Collective call) {
        int root = call.signature().root();
        MpiRow from = MpiRow.of(call.inputRow(place.size()), plan);
        MpiRow to = MpiRow.ofResult(call.outputRow(place.size()), plan);
        Partition sends = only(root, from, call);
        Partition takes =
                place.rank() == root ? call.partitions(place.size()).output() : Partition.even(place.size(), 0);
        exchange(call, from, sends, to, takes);
        plan.after(to::store);
    }

    void scatter(Collective call) {
        int root = call.signature().root();
        MpiRow from = MpiRow.of(call.inputRow(place.size()), plan);
        MpiRow to = MpiRow.ofResult(call.outputRow(place.size()), plan);
        Partition sends =
                place.rank() == root ? call.partitions(place.size()).input() : Partition.even(place.size(), 0);
        Partition takes = only(root, to, call);
        exchange(call, from, sends, to, takes);
        plan.after(to::store);
    }

    /** {@return a partition of a row that is one rank's alone} */
    private Partition only(int whose, MpiRow row, Collective call) {
        long[] counts = new long[place.size()];
        counts[whose] = row.memory().byteSize() / call.signature().type().byteSize();
        return Partition.of(counts);
    }

    /** Each two ranks send each other their parts; a rank's own is copied. */
    private void exchange(Collective call, MpiRow from, Partition sends, MpiRow to, Partition takes) {
        int width = call.signature().type().byteSize();
        copy(
                from.memory(),
                sends.from(place.rank()) * width,
                to.memory(),
                takes.from(place.rank()) * width,
                sends.count(place.rank()) * width);
        for (int step = 1; step < place.size(); step++) {
            int source = Math.floorMod(place.rank() - step, place.size());
            int destination = (place.rank() + step) % place.size();
            receive(to.address() + takes.from(source) * width, takes.count(source), source, call);
            send(from.address() + sends.from(destination) * width, sends.count(destination), destination, call);
        }
    }

    private void copy(MemorySegment from, long fromByte, MemorySegment to, long toByte, long bytes) {
        if (bytes > 0 && from.address() + fromByte != to.address() + toByte) {
            plan.memory().copy(from.asSlice(fromByte, bytes), to.asSlice(toByte, bytes));
        }
    }

    void message(Collective call) {
        if (call instanceof Send message) {
            MpiRow row = MpiRow.of(call.inputRow(place.size()), plan);
            send(row.address(), message.tensor().count(), message.peer(), call);
        } else if (call instanceof Receive message) {
            MpiRow row = MpiRow.ofResult(call.outputRow(place.size()), plan);
            receive(row.address(), message.tensor().count(), message.peer(), call);
        } else {
            throw new IllegalArgumentException("no message: call=" + call.describe());
        }
    }

    private void send(long address, long elements, int peer, Collective call) {
        long moved = place.moved(call);
        int width = call.signature().type().byteSize();
        place.inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.message((comm, request) -> place.calls().send(piece, count, moved, peer, TAG, comm, request));
        });
    }

    private void receive(long address, long elements, int peer, Collective call) {
        long moved = place.moved(call);
        int width = call.signature().type().byteSize();
        place.inPieces(elements, (at, count) -> {
            long piece = address + at * width;
            plan.message((comm, request) -> place.calls().receive(piece, count, moved, peer, TAG, comm, request));
        });
    }
}
