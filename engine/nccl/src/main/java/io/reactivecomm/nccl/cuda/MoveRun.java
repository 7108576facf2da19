package io.reactivecomm.nccl.cuda;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * One list of moves on its way to a device. Within the device a kernel does them, or the driver if it is one copy; between devices the driver copies. All
 * else goes by pinned blocks, in pieces, where the host converts and scales: from and to the host's memory, and between devices what changes on the way.
 * Such a move waits for its tensors on the thread of moves.
 *
 * <p><b>Threads.</b> That of moves.
 */
final class MoveRun {

    private final CudaDevice device;
    private final CopyStream copies;
    private final IntFunction<CUcontext> contexts;
    private final List<Move> moves;
    private final CudaHandle handle;
    private final HostMoves kernel = new HostMoves(Tensor::segment);
    private final MoveRows rows;
    /** Pieces that have come from a device, to be converted and sent back. */
    private int unconverted;

    private @Nullable Throwable fault;

    /** @param contexts of devices, for copies from others */
    MoveRun(CudaDevice device, IntFunction<CUcontext> contexts, List<Move> moves, CudaHandle handle) {
        this.device = device;
        this.copies = device.copyStream();
        this.contexts = contexts;
        this.moves = moves;
        this.handle = handle;
        this.rows = new MoveRows(device);
    }

    /** Hands all to the device, and returns when that is done. The handle completes later. */
    void run() {
        try {
            handle.follow(copies.stream());
            enqueueAll();
        } catch (RuntimeException | Error e) {
            fault = e;
        }
        Throwable failed = fault;
        if (failed != null) {
            handle.launchFailed(failed);
        }
        try {
            copies.stream().complete(List.of(handle), this::end);
        } catch (CudaException e) {
            // The handle has been told.
            fault = e;
        }
    }

    /** Pieces that are being converted come to their end, whatever fails: they are sent on behind it. */
    private void enqueueAll() {
        try {
            moves.forEach(this::enqueue);
            rows.launch();
        } finally {
            copies.worker().pollUntil(() -> unconverted == 0);
        }
    }

    private void end(@Nullable CudaException failed) {
        Throwable cause = fault == null ? failed : fault;
        if (cause == null) {
            handle.ended();
        } else {
            handle.abandoned(cause);
        }
        device.release();
    }

    private static boolean isOnHost(Tensor tensor) {
        return tensor.device().equals(Device.CPU);
    }

    private void enqueue(Move move) {
        Tensor from = move.from();
        Tensor to = move.to();
        if (to.byteSize() == 0) {
            return;
        }
        if (from == null) {
            CudaResult.check(
                    "cuMemsetD8Async",
                    JCudaDriver.cuMemsetD8Async(
                            at(to), (byte) 0, to.byteSize(), copies.stream().raw()));
        } else if (isOnHost(from)) {
            inPieces(move, 1, this::send);
        } else if (isOnHost(to)) {
            inPieces(move, 1, this::receive);
        } else if (isRow(move, from)) {
            rows.add(move);
        } else if (isCopy(move, from)) {
            copy(from, to);
        } else {
            inPieces(move, 2, this::convert);
        }
    }

    private static boolean isCopy(Move move, Tensor from) {
        return move.factor() == 1 && from.type() == move.to().type();
    }

    private boolean isRow(Move move, Tensor from) {
        boolean isWithin = from.device().equals(move.to().device());
        return isWithin && (isCopy(move, from) ? moves.size() > 1 : MoveRows.converts(move, from));
    }

    /** {@return what is read by a move that is no fill} */
    static Tensor source(Move move) {
        return Objects.requireNonNull(move.from(), "a move that is not of zeros reads a tensor");
    }

    private static DeviceAddress at(Tensor tensor) {
        return new DeviceAddress(tensor.address());
    }

    private void copy(Tensor from, Tensor to) {
        int source = from.device().index();
        if (source == device.index()) {
            CudaResult.check(
                    "cuMemcpyDtoDAsync",
                    JCudaDriver.cuMemcpyDtoDAsync(
                            at(to), at(from), to.byteSize(), copies.stream().raw()));
        } else {
            CudaResult.check(
                    "cuMemcpyPeerAsync",
                    JCudaDriver.cuMemcpyPeerAsync(
                            at(to),
                            device.context(),
                            at(from),
                            contexts.apply(source),
                            to.byteSize(),
                            copies.stream().raw()));
        }
    }

    /** Takes a piece of a move through a block, which it gives back. */
    private interface Way {

        void take(Move piece, CopyStream.Block block);
    }

    /** @param rows how many times the wider of both types has to find room in a block */
    private void inPieces(Move move, int rows, Way way) {
        Tensor from = source(move);
        long width = Math.max(from.type().byteSize(), move.to().type().byteSize());
        long most = copies.blockBytes() / (rows * width);
        for (long first = 0; first < from.count(); first += most) {
            long count = Math.min(most, from.count() - first);
            way.take(new Move(from.slice(first, count), move.to().slice(first, count), move.factor()), copies.take());
        }
    }

    private static Tensor staged(CopyStream.Block block, long fromByte, DType type, long count) {
        return Tensor.wrap(block.bytes().asSlice(fromByte, count * type.byteSize()), type, count);
    }

    private void send(Move piece, CopyStream.Block block) {
        Tensor staged = staged(block, 0, piece.to().type(), piece.to().count());
        try {
            kernel.move(new Move(piece.from(), staged, piece.factor()));
            upload(staged, piece.to());
        } finally {
            copies.mark(failed -> copies.give(block));
        }
    }

    private void upload(Tensor staged, Tensor to) {
        CudaResult.check(
                "cuMemcpyHtoDAsync",
                JCudaDriver.cuMemcpyHtoDAsync(
                        at(to),
                        new NativePointer(staged.address()),
                        to.byteSize(),
                        copies.stream().raw()));
    }

    private void download(Tensor from, Tensor staged) {
        CudaResult.check(
                "cuMemcpyDtoHAsync",
                JCudaDriver.cuMemcpyDtoHAsync(
                        new NativePointer(staged.address()),
                        at(from),
                        from.byteSize(),
                        copies.stream().raw()));
    }

    private void receive(Move piece, CopyStream.Block block) {
        Tensor from = source(piece);
        Tensor staged = staged(block, 0, from.type(), from.count());
        boolean isEnqueued = false;
        try {
            download(from, staged);
            isEnqueued = true;
        } finally {
            boolean isComing = isEnqueued;
            copies.mark(failed -> {
                try {
                    if (failed == null && isComing) {
                        guarded(() -> kernel.move(new Move(staged, piece.to(), piece.factor())));
                    }
                } finally {
                    copies.give(block);
                }
            });
        }
    }

    private void convert(Move piece, CopyStream.Block block) {
        Tensor from = source(piece);
        Tensor to = piece.to();
        Tensor before = staged(block, 0, from.type(), from.count());
        Tensor after = staged(block, copies.blockBytes() / 2, to.type(), to.count());
        unconverted++;
        boolean isEnqueued = false;
        try {
            download(from, before);
            isEnqueued = true;
        } finally {
            boolean isComing = isEnqueued;
            copies.mark(failed -> {
                unconverted--;
                if (failed == null && isComing) {
                    guarded(() -> {
                        kernel.move(new Move(before, after, piece.factor()));
                        upload(after, to);
                    });
                }
                guarded(() -> copies.mark(sent -> copies.give(block)));
            });
        }
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            fault = fault == null ? e : fault;
        }
    }
}
