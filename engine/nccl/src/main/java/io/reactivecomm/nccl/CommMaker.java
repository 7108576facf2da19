package io.reactivecomm.nccl;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.nccl.LaunchStream.LaunchPlace;
import io.reactivecomm.spi.engine.EngineGroup;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The making of communicators: they do not block where the library can be asked, are waited for, and are warmed up, because NCCL connects ranks with the first call.
 *
 * <p><b>Threads.</b> The launch stream's, which does nothing else meanwhile: so the first call of a communicator stands at the same place in the order of launches on
 * all ranks.
 */
final class CommMaker {

    private final NcclSetup setup;
    private final NcclCalls calls;
    private final LaunchStream stream;

    CommMaker(NcclSetup setup, NcclCalls calls, LaunchStream stream) {
        this.setup = setup;
        this.calls = calls;
        this.stream = stream;
    }

    /**
     * {@return a communicator of all that have the id; empty if it was given up}
     *
     * @throws NcclException if it cannot be made
     */
    Optional<NcclGroup> join(int size, byte[] id, int rank, BooleanSupplier isGivenUp) {
        boolean isPolled = setup.library().has(NcclFunction.COMM_INIT_RANK_CONFIG)
                && setup.library().has(NcclFunction.COMM_GET_ASYNC_ERROR);
        NewComm made =
                isPolled ? setup.initRank(size, id, rank, new NcclConfig(false)) : setup.initRank(size, id, rank);
        NcclGroup group = new NcclGroup(setup, made.comm());
        return sound(group, () -> whenSettled(group, isGivenUp) ? warmedUp(group, isGivenUp) : Optional.empty());
    }

    /** {@return what becomes of a new communicator} One that fails meanwhile is aborted. */
    private Optional<NcclGroup> sound(NcclGroup group, Supplier<Optional<NcclGroup>> rest) {
        try {
            return rest.get();
        } catch (RuntimeException | Error e) {
            stream.aside("abort", group::abort);
            throw e;
        }
    }

    /**
     * {@return a communicator of a group's members, made by all ranks of another; empty if this rank is no member, or it was given up}
     *
     * @param lost is told if it was given up half way: what is in progress on the parent may stay so for ever, and nothing else can be made of it
     * @throws NcclException if it cannot be made
     */
    Optional<NcclGroup> split(NcclGroup parent, EngineGroup group, BooleanSupplier isGivenUp, Runnable lost) {
        awaitDevice(parent, isGivenUp);
        NewComm made;
        if (isGivenUp.getAsBoolean() || !parent.lock()) {
            return Optional.empty();
        }
        try {
            made = setup.split(parent.comm(), group.isMember() ? 0 : NcclSetup.NO_COLOR, Math.max(group.rank(), 0));
        } finally {
            parent.unlock();
        }
        stream.await(() -> isGivenUp.getAsBoolean() || parent.isSettled());
        if (!parent.isEnding() && isGivenUp.getAsBoolean()) {
            lost.run();
        }
        if (parent.isEnding() || isGivenUp.getAsBoolean()) {
            return Optional.empty();
        }
        if (!group.isMember()) {
            return Optional.empty();
        }
        NcclGroup child = new NcclGroup(setup, made.comm());
        return sound(child, () -> warmedUp(child, isGivenUp));
    }

    private Optional<NcclGroup> warmedUp(NcclGroup group, BooleanSupplier isGivenUp) {
        try (Tensor element = stream.scratch(DType.FLOAT32.byteSize())) {
            LaunchPlace place = stream.place(List.of(List.of(element)));
            stream.await(place::isTurn);
            try {
                place.follow();
                calls.allReduce(
                        element.address(),
                        element.address(),
                        1,
                        NcclType.FLOAT32,
                        NcclOperation.SUM.code(),
                        group.comm(),
                        stream.address());
                return whenSettled(group, isGivenUp) ? Optional.of(group) : Optional.empty();
            } finally {
                place.complete();
            }
        }
    }

    /** A communicator that is split may have no calls under way, or NCCL may wait for ever. */
    private void awaitDevice(NcclGroup parent, BooleanSupplier isGivenUp) {
        AtomicBoolean isDone = new AtomicBoolean();
        LaunchPlace place = stream.place(List.of(List.of()));
        place.handles().getFirst().released().subscribe(null, null, () -> isDone.set(true));
        place.complete();
        // One that fails meanwhile never gets there.
        stream.await(() -> parent.isSettled() && (isDone.get() || isGivenUp.getAsBoolean() || parent.isEnding()));
    }

    /** {@return whether it is settled; if it was given up instead, it is aborted} */
    private boolean whenSettled(NcclGroup group, BooleanSupplier isGivenUp) {
        stream.await(() -> isGivenUp.getAsBoolean() || group.isSettled());
        if (isGivenUp.getAsBoolean()) {
            stream.aside("abort", group::abort);
            return false;
        }
        return true;
    }
}
