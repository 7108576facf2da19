package io.reactivecomm.nccl;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGatherCoalesced;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/**
 * The maker of plans: which of NCCL's calls, with which memory, a call takes. What decides between two ways is the same on all ranks.
 *
 * <pre>
 *   all-reduce, reduce, broadcast        NCCL's own, one for each tensor
 *   all-gather, reduce-scatter           NCCL's own; a broadcast, or a reduce, of each part where those differ
 *   all-to-all, gather, scatter          NCCL's own where all libraries have it and parts are equal; else messages, and a copy of what stays
 * </pre>
 *
 * <p>Whatever is empty is left out: all ranks that have a part in it know.
 *
 * <p><b>Threads.</b> The launch stream's.
 */
final class NcclPlanner {

    private final NcclCalls calls;
    private final boolean movesWhole;
    private final int rank;
    private final int size;
    private final NcclPlan plan;
    /** Whether the parts are regular, for each gather and scatter in order. Empty if NCCL performs none of them as one call. */
    private final Iterator<Boolean> regular;

    private NcclPlanner(NcclCalls calls, boolean movesWhole, int rank, int size, NcclPlan plan, List<Boolean> regular) {
        this.calls = calls;
        this.movesWhole = movesWhole;
        this.rank = rank;
        this.size = size;
        this.plan = plan;
        this.regular = regular.iterator();
    }

    /**
     * {@return the plan of a call}
     *
     * @param regular whether each {@link RootPart} of the call is regular; empty if NCCL performs no gather or scatter as one call
     */
    static NcclPlan plan(LaunchContext context, int rank, int size, Collective call, List<Boolean> regular) {
        NcclPlan plan = new NcclPlan(context.stream());
        try {
            new NcclPlanner(context.calls(), context.abilities().movesWhole(), rank, size, plan, regular).add(call);
            return plan;
        } catch (RuntimeException | Error e) {
            plan.free();
            throw e;
        }
    }

    private void add(Collective call) {
        if (call instanceof Coalesced scope) {
            scope.members().forEach(this::add);
            scope.messages().calls().forEach(this::add);
            return;
        }
        switch (call.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE -> allReduce(call);
            case REDUCE -> reduce(call);
            case REDUCE_SCATTER -> reduceScatter(call);
            case BROADCAST -> broadcast(call);
            case ALL_GATHER -> allGather(call);
            case ALL_TO_ALL -> allToAll(call);
            case GATHER -> gather(call);
            case SCATTER -> scatter(call);
            case MESSAGE -> message(call);
            case BARRIER, MONITORED_BARRIER, NEW_GROUP, COALESCED ->
                throw new IllegalArgumentException("no call for NCCL: call=" + call.describe());
        }
    }

    private static DType type(Collective call) {
        return call.signature().type();
    }

    private static int width(Collective call) {
        return type(call).byteSize();
    }

    private void reduction(Collective call, NcclPlan.Call made) {
        Reduction reduction = Objects.requireNonNull(call.reduction(), "a call that reduces");
        if (reduction instanceof PreMulSum sum) {
            plan.reduce(sum, NcclType.ofArithmetic(type(call)), made);
        } else {
            plan.reduce(NcclOperation.of((ReduceOp) reduction), made);
        }
    }

    private void allReduce(Collective call) {
        NcclType type = NcclType.ofArithmetic(type(call));
        for (int i = 0; i < call.inputs().size(); i++) {
            Tensor from = call.inputs().get(i);
            Tensor to = call.outputs().get(i);
            if (from.count() > 0) {
                reduction(
                        call,
                        (comm, stream, op) ->
                                calls.allReduce(from.address(), to.address(), from.count(), type, op, comm, stream));
            }
        }
    }

    private void reduce(Collective call) {
        Tensor tensor = call.inputs().getFirst();
        reduce(
                call,
                tensor.address(),
                tensor.address(),
                tensor.count(),
                call.signature().root());
    }

    private void reduce(Collective call, long from, long to, long count, int root) {
        NcclType type = NcclType.ofArithmetic(type(call));
        if (count > 0) {
            reduction(call, (comm, stream, op) -> calls.reduce(from, to, count, type, op, root, comm, stream));
        }
    }

    private void reduceScatter(Collective call) {
        Partition parts = call.partitions(size).input();
        NcclRow from = NcclRow.of(call.inputRow(size), plan);
        NcclRow to = NcclRow.ofResult(call.outputRow(size), plan);
        NcclType type = NcclType.ofArithmetic(type(call));
        if (!parts.isEven()) {
            for (int part = 0; part < size; part++) {
                reduce(call, from.address() + parts.from(part) * width(call), to.address(), parts.count(part), part);
            }
        } else if (parts.total() > 0) {
            long count = parts.count(0);
            reduction(
                    call,
                    (comm, stream, op) ->
                            calls.reduceScatter(from.address(), to.address(), count, type, op, comm, stream));
        }
    }

    private void broadcast(Collective call) {
        Tensor tensor = call.inputs().getFirst();
        broadcast(
                call,
                tensor.address(),
                tensor.address(),
                tensor.count(),
                call.signature().root());
    }

    private void broadcast(Collective call, long from, long to, long count, int root) {
        NcclType type = NcclType.ofWidth(type(call));
        if (count > 0) {
            plan.move((comm, stream, op) -> calls.broadcast(from, to, count, type, root, comm, stream));
        }
    }

    private void allGather(Collective call) {
        if (call instanceof AllGatherCoalesced) {
            for (int i = 0; i < call.inputs().size(); i++) {
                Tensor input = call.inputs().get(i);
                allGather(call, input.address(), call.outputs().get(i).address(), Partition.even(size, input.count()));
            }
        } else {
            NcclRow from = NcclRow.of(call.inputRow(size), plan);
            NcclRow to = NcclRow.ofResult(call.outputRow(size), plan);
            allGather(call, from.address(), to.address(), call.partitions(size).output());
        }
    }

    private void allGather(Collective call, long from, long to, Partition parts) {
        NcclType type = NcclType.ofWidth(type(call));
        if (!parts.isEven()) {
            for (int part = 0; part < size; part++) {
                broadcast(call, from, to + parts.from(part) * width(call), parts.count(part), part);
            }
        } else if (parts.total() > 0) {
            plan.move((comm, stream, op) -> calls.allGather(from, to, parts.count(0), type, comm, stream));
        }
    }

    private void allToAll(Collective call) {
        Partition sends = call.partitions(size).input();
        Partition takes = call.partitions(size).output();
        if (call.signature().isEven() && movesWhole && sends.total() > 0) {
            NcclRow from = NcclRow.of(call.inputRow(size), plan);
            NcclRow to = NcclRow.ofResult(call.outputRow(size), plan);
            NcclType type = NcclType.ofWidth(type(call));
            plan.move((comm, stream, op) ->
                    calls.allToAll(from.address(), to.address(), sends.count(0), type, comm, stream));
            return;
        }
        for (int peer = 0; peer < size; peer++) {
            long from = address(call.inputs(), sends, peer);
            long to = address(call.outputs(), takes, peer);
            if (peer == rank) {
                plan.before(new NcclPlan.Copy(from, to, sends.count(peer) * width(call)));
            } else {
                send(call, from, sends.count(peer), peer);
                receive(call, to, takes.count(peer), peer);
            }
        }
    }

    /** {@return where a part begins, of one tensor or in a tensor of its own} */
    private static long address(List<Tensor> tensors, Partition parts, int part) {
        Tensor first = tensors.getFirst();
        return tensors.size() == 1
                ? first.address() + parts.from(part) * first.type().byteSize()
                : tensors.get(part).address();
    }

    private void gather(Collective call) {
        int root = call.signature().root();
        Tensor from = call.inputs().getFirst();
        NcclType type = NcclType.ofWidth(type(call));
        if (movesWhole && regular.next()) {
            long to = rank == root ? call.outputs().getFirst().address() : 0;
            if (from.count() > 0) {
                plan.move(
                        (comm, stream, op) -> calls.gather(from.address(), to, from.count(), type, root, comm, stream));
            }
            return;
        }
        if (rank != root) {
            send(call, from.address(), from.count(), root);
            return;
        }
        for (int peer = 0; peer < size; peer++) {
            Tensor to = call.outputs().get(peer);
            if (peer == root) {
                plan.before(new NcclPlan.Copy(from.address(), to.address(), from.byteSize()));
            } else {
                receive(call, to.address(), to.count(), peer);
            }
        }
    }

    private void scatter(Collective call) {
        int root = call.signature().root();
        Tensor to = call.outputs().getFirst();
        NcclType type = NcclType.ofWidth(type(call));
        if (movesWhole && regular.next()) {
            long from = rank == root ? call.inputs().getFirst().address() : 0;
            if (to.count() > 0) {
                plan.move(
                        (comm, stream, op) -> calls.scatter(from, to.address(), to.count(), type, root, comm, stream));
            }
            return;
        }
        if (rank != root) {
            receive(call, to.address(), to.count(), root);
            return;
        }
        for (int peer = 0; peer < size; peer++) {
            Tensor from = call.inputs().get(peer);
            if (peer == root) {
                plan.before(new NcclPlan.Copy(from.address(), to.address(), from.byteSize()));
            } else {
                send(call, from.address(), from.count(), peer);
            }
        }
    }

    private void message(Collective call) {
        if (call instanceof Send message) {
            send(call, message.tensor().address(), message.tensor().count(), message.peer());
        } else if (call instanceof Receive message) {
            receive(call, message.tensor().address(), message.tensor().count(), message.peer());
        } else {
            throw new IllegalArgumentException("no message: call=" + call.describe());
        }
    }

    private void send(Collective call, long address, long count, int peer) {
        NcclType type = NcclType.ofWidth(type(call));
        if (count > 0) {
            plan.move((comm, stream, op) -> calls.send(address, count, type, peer, comm, stream));
        }
    }

    private void receive(Collective call, long address, long count, int peer) {
        NcclType type = NcclType.ofWidth(type(call));
        if (count > 0) {
            plan.move((comm, stream, op) -> calls.receive(address, count, type, peer, comm, stream));
        }
    }
}
