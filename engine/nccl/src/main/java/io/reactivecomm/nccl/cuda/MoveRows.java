package io.reactivecomm.nccl.cuda;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.Move;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The moves within a device that one kernel does at once, {@code moves.cu}: whatever converts or scales, and copies as soon as there are several, for a
 * launch takes the device longer than a small copy.
 *
 * <p><b>Threads.</b> That of moves.
 */
final class MoveRows {

    private static final String CODE = "moves.ptx";

    /** As the kernel has it: what its arguments hold, 4 KiB at most. */
    static final int MOST_ROWS = 80;

    private static final int ROW_BYTES = 48;
    private static final int THREADS = 256;
    private static final int TILE = THREADS * 8;

    private static final int WIDTH_8 = 3;

    private static final class Kernel {

        private static final DeviceKernel MOVES =
                new DeviceKernel(DeviceKernel.text(MoveRows.class, CODE), "move_rows");
    }

    private final CudaDevice device;
    private final CudaStream stream;
    private final List<Move> rows = new ArrayList<>();

    MoveRows(CudaDevice device) {
        this.device = device;
        this.stream = device.copyStream().stream();
    }

    /** {@return whether a move converts or scales elements of floating point that the kernel knows} */
    static boolean converts(Move move, Tensor from) {
        return kindOfFloat(from.type()) > WIDTH_8
                && kindOfFloat(move.to().type()) > WIDTH_8
                && isAligned(from)
                && isAligned(move.to());
    }

    private static boolean isAligned(Tensor tensor) {
        return tensor.address() % tensor.type().byteSize() == 0;
    }

    /** {@return the kind of a type's elements, as the kernel numbers them; 0 if it computes with none such} */
    private static int kindOfFloat(DType type) {
        return switch (type) {
            case FLOAT16 -> 4;
            case BFLOAT16 -> 5;
            case FLOAT32 -> 6;
            case FLOAT64 -> 7;
            case INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 -> 0;
        };
    }

    /** Adds a move of at least one element; its tensors are on the device. */
    void add(Move move) {
        rows.add(move);
    }

    /** Enqueues all. */
    void launch() {
        for (int first = 0; first < rows.size(); first += MOST_ROWS) {
            launch(rows.subList(first, Math.min(first + MOST_ROWS, rows.size())));
        }
        rows.clear();
    }

    private void launch(List<Move> some) {
        ByteBuffer arguments =
                ByteBuffer.allocate(MOST_ROWS * ROW_BYTES + Long.BYTES).order(ByteOrder.nativeOrder());
        long blocks = 0;
        for (Move move : some) {
            blocks += put(move, blocks, arguments);
        }
        arguments.putInt(MOST_ROWS * ROW_BYTES, some.size());
        KernelRun.launch(
                device.kernels().function(Kernel.MOVES), Math.toIntExact(blocks), THREADS, arguments.array(), stream);
    }

    /** {@return the blocks that a row takes} */
    private static long put(Move move, long first, ByteBuffer arguments) {
        Tensor from = MoveRun.source(move);
        Tensor to = move.to();
        boolean isCopy = from.type() == to.type() && move.factor() == 1;
        int width = isCopy ? width(from, to) : from.type().byteSize();
        long count = from.byteSize() / width;
        arguments
                .putLong(from.address())
                .putLong(to.address())
                .putLong(count)
                .putLong(first)
                .putDouble(move.factor());
        arguments.putInt(isCopy ? Integer.numberOfTrailingZeros(width) : kindOfFloat(from.type()));
        arguments.putInt(isCopy ? 0 : kindOfFloat(to.type()));
        return Math.ceilDiv(count, TILE);
    }

    /** {@return the widest words in which bytes can be copied} */
    private static int width(Tensor from, Tensor to) {
        long common = from.address() | to.address() | from.byteSize() | Long.BYTES;
        return (int) Long.lowestOneBit(common);
    }
}
