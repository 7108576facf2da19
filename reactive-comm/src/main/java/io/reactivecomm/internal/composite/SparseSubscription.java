package io.reactivecomm.internal.composite;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.kernel.HostRows;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription of a sparse all-reduce.
 *
 * <p>All checks are made inside the calls' suppliers: what fails them refuses the call that the other ranks wait in.
 *
 * <p><b>Buffers.</b> This rank's tensors are borrowed from the first call to {@link #close()}.
 *
 * <p><b>Threads.</b> One after the other, as the calls follow each other.
 */
final class SparseSubscription implements AutoCloseable {

    private final Conversation talk;
    private final ProcessGroup group;
    private final Reduction op;
    private final Temporaries memory;
    /** Guarded by itself: a step that a device holds up may be at work when this is closed. */
    private final List<Tensor> borrowed = new ArrayList<>();

    private boolean isClosed;
    private @Nullable Runnable claim;
    private @Nullable SparseRows own;
    private @Nullable SparseTensor result;
    /** Where the values are on a device. */
    private @Nullable DeviceRows onDevice;
    /** What a device has failed, for the call that comes next. */
    private @Nullable Throwable failed;

    private Handle placed = Handle.DONE;

    /**
     * Begins nothing yet.
     *
     * @param group has the memory of devices
     * @param memory holds what this needs; closed with it
     */
    SparseSubscription(Conversation talk, ProcessGroup group, Reduction op, Temporaries memory) {
        this.talk = talk;
        this.group = group;
        this.op = op;
        this.memory = memory;
    }

    Mono<SparseTensor> run(@Nullable SparseTensor tensor) {
        Tensor headers = memory.tensor(DType.INT64, (long) SparseHeader.COUNT * talk.size());
        List<Tensor> indices = new ArrayList<>();
        Tensor copy = tensor == null || isOnHost(tensor.indices())
                ? null
                : memory.tensor(tensor.indices().type(), tensor.indices().shape());
        Mono<Work> announced = talk.next(() -> announced(tensor, copy, headers));
        return tensor == null || copy == null
                ? reduced(announced, headers, indices)
                : awaited(() -> copied(tensor, copy)).then(reduced(announced, headers, indices));
    }

    private Mono<Void> copied(SparseTensor tensor, Tensor indices) {
        // Until the call has them: a device that still reads them must find what was given.
        borrowEarly(tensor.indices());
        borrowEarly(tensor.values());
        return group.move(List.of(Move.copy(tensor.indices(), indices))).completed();
    }

    private Mono<SparseTensor> reduced(Mono<Work> announced, Tensor headers, List<Tensor> indices) {
        return announced
                .flatMap(work -> fetched().then(talk.nextAside(() -> gathered(headers, indices))))
                .flatMap(work -> talk.nextAside(() -> united(indices)))
                .flatMap(work -> placed == Handle.DONE
                        ? Mono.just(handedOut())
                        : placed.completed().then(Mono.fromSupplier(this::handedOut)));
    }

    private static boolean isOnHost(@Nullable Tensor tensor) {
        return tensor == null || tensor.device().equals(Device.CPU);
    }

    /** {@return the end of what a device does; where that fails the next call does, since other ranks wait in it} */
    private Mono<Void> awaited(Supplier<Mono<Void>> work) {
        return Mono.defer(work).onErrorResume(RuntimeException.class, error -> {
            failed = error;
            return Mono.empty();
        });
    }

    private Mono<Void> fetched() {
        DeviceRows rows = onDevice;
        return rows == null ? Mono.empty() : awaited(rows::fetchRepeated);
    }

    private void requireFetched() {
        if (failed instanceof CommException error) {
            throw error;
        } else if (failed != null) {
            throw new CommException(
                    SparseAllReduce.OPERATION + " failed on its device: cause=" + ErrorTexts.describe(failed)
                            + "; look at this rank's own output",
                    failed);
        }
    }

    /** Says what this rank has. */
    private Collective announced(@Nullable SparseTensor tensor, @Nullable Tensor copy, Tensor headers) {
        SparseTensor usable = SparseRows.usable(tensor);
        requireFetched();
        borrow(usable.indices());
        borrow(usable.values());
        claim(usable);
        SparseRows rows = SparseRows.checked(usable, copy == null ? usable.indices() : copy, op);
        own = rows;
        onDevice = isOnHost(usable.values()) ? null : new DeviceRows(rows, group, memory);
        return new AllGather(memory.kept(Tensor.of(SparseHeader.of(rows))), headers);
    }

    /** One that cannot be borrowed is the call's to refuse. */
    private void borrowEarly(@Nullable Tensor tensor) {
        if (tensor != null && tensor.borrow()) {
            hold(tensor);
        }
    }

    private void hold(Tensor tensor) {
        synchronized (borrowed) {
            if (!isClosed) {
                borrowed.add(tensor);
                return;
            }
        }
        tensor.giveBack();
    }

    private void claim(SparseTensor tensor) {
        Runnable end = talk.claim(List.of(tensor.indices(), tensor.values()));
        synchronized (borrowed) {
            if (!isClosed) {
                claim = end;
                return;
            }
        }
        end.run();
    }

    private void borrow(Tensor tensor) {
        if (!tensor.borrow()) {
            throw new InvalidCallException(SparseAllReduce.OPERATION
                    + " got a tensor that was closed before the call was subscribed to: tensor=" + tensor
                    + "; keep it open until the call has ended");
        }
        hold(tensor);
    }

    /** Says which rows this rank has, each once. */
    private Collective gathered(Tensor headers, List<Tensor> indices) {
        SparseRows rows = own();
        requireFetched();
        for (long count : SparseHeader.counts(headers, rows, talk.rank())) {
            indices.add(memory.tensor(DType.INT64, count));
        }
        return new AllGather(memory.kept(Tensor.of(rows.distinct())), indices);
    }

    /** Puts this rank's rows among those that any rank has. */
    private Collective united(List<Tensor> indices) {
        SparseRows rows = own();
        long[] union = RowUnion.of(indices, rows.tensor().rows());
        long[] shape = rows.tensor().values().shape();
        shape[0] = union.length;
        Tensor own = rows.tensor().values();
        Tensor values = memory.tensorBeside(own, group, shape);
        if (onDevice == null) {
            HostRows.place(own, RowUnion.places(rows.indices(), union), rows.rowCount(), values);
        } else {
            placed = onDevice.place(union, values);
        }
        result = new SparseTensor(
                memory.kept(Tensor.of(union)), values, rows.tensor().rows());
        return new AllReduce(values, values, op);
    }

    private SparseTensor handedOut() {
        SparseTensor done = present(result);
        memory.handedOut(done.indices());
        memory.handedOut(done.values());
        return done;
    }

    private SparseRows own() {
        return present(own);
    }

    private static <T> T present(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("a step of a sparse all-reduce ran before the one that comes first");
        }
        return value;
    }

    @Override
    public void close() {
        Runnable claimed;
        synchronized (borrowed) {
            isClosed = true;
            claimed = claim;
        }
        if (claimed != null) {
            claimed.run();
        }
        // Those who wait for a tensor are notified on this thread, and may throw.
        Closings closings = new Closings();
        borrowed.forEach(each -> closings.close("a borrow of a sparse tensor", each::giveBack));
        closings.close("memory of a sparse all-reduce", memory::close);
        closings.end();
    }
}
