package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Coalesced;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.spi.engine.RankMemory;
import io.reactivecomm.spi.engine.Turn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The devices whose tensors a rank's engine takes, and the way of each call of theirs.
 *
 * <p>The way follows from what all ranks of a call agree on, as libraries may choose an algorithm by the kind of memory. Small calls are staged always: a loop begins
 * them, and MPI would wait for copies of its own there. So is what the host has to do a part of: an average's division, a factor, a truth value of one rank.
 *
 * <p><b>Threads.</b> Any.
 *
 * @param memory of the devices; null if there is none
 * @param areAddressesTaken whether MPI takes addresses of devices, on all ranks
 */
record Devices(@Nullable RankMemory memory, boolean areAddressesTaken) {

    /** None. */
    static final Devices NONE = new Devices(null, false);

    /** @throws InvalidCallException if a call has tensors on devices whose memory is not known here */
    void requireUsable(Collective call) {
        List<Tensor> onDevices =
                call.tensors().stream().filter(tensor -> !isOnHost(tensor)).toList();
        if (onDevices.isEmpty()) {
            return;
        }
        if (memory == null) {
            throw new InvalidCallException(
                    "a tensor is on a device whose memory this engine cannot reach: engine=mpi, tensor="
                            + onDevices.getFirst()
                            + "; add reactive-comm-nccl, which has CUDA's memory, to the class path");
        }
        memory.requireKnown(onDevices);
    }

    private static boolean isOnHost(Tensor tensor) {
        return tensor.device().equals(Device.CPU);
    }

    /** {@return what MPI is given for a call} What has to come before has been enqueued. */
    PlanMemory memory(Turn.Call turn, boolean isSmall) {
        Collective call = turn.call().collective();
        RankMemory known = memory;
        if (known == null || call.tensors().stream().allMatch(Devices::isOnHost)) {
            return PlanMemory.HOST;
        }
        boolean isDirect = areAddressesTaken
                && !isSmall
                && isWhollyOfMpi(call, turn.group().worldRanks().size());
        int rank = turn.group().rank();
        return isDirect ? DirectMemory.of(known, call, rank) : StagedMemory.of(known, call, rank);
    }

    /** {@return whether MPI does all of a call's arithmetic} */
    private static boolean isWhollyOfMpi(Collective call, int size) {
        if (call instanceof Coalesced scope) {
            return scope.calls().stream().allMatch(each -> isWhollyOfMpi(each, size));
        }
        boolean isTruthOfOne = call.reduction() != null && call.signature().type() == DType.BOOL && size == 1;
        return !(call.reduction() instanceof PreMulSum) && call.reduction() != ReduceOp.AVG && !isTruthOfOne;
    }

    /** The world ends. */
    void close() {
        if (memory != null) {
            memory.close();
        }
    }
}
