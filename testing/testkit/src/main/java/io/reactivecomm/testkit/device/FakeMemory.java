package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The memory of the fake devices {@code fake:0} to {@code fake:3}, the same for all ranks of the JVM.
 *
 * <p><b>Threads.</b> Any; moves are done on {@link FakeThread}.
 */
public final class FakeMemory implements DeviceMemory {

    public static final String KIND = "fake";

    public static final FakeMemory JVM = new FakeMemory();

    static final int DEVICES = 4;

    private FakeMemory() {}

    /** {@return the device of that index} */
    public static Device device(int index) {
        return new Device(KIND, index);
    }

    /** {@return how many tensors of fake devices nobody has freed} */
    public static int held() {
        return FakeHeap.JVM.held();
    }

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public Tensor allocate(Device device, DType type, long... shape) {
        long address = FakeHeap.JVM.allocate(device, DeviceMemory.byteSize(type, shape));
        return Tensor.onDevice(this, device, address, () -> FakeHeap.JVM.free(address), type, shape);
    }

    @Override
    public Handle move(List<Move> moves) {
        List<Tensor> tensors = new ArrayList<>();
        for (Move move : moves) {
            tensors.add(move.to());
            if (move.from() != null) {
                tensors.add(move.from());
            }
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        EnqueuedHandle handle = new EnqueuedHandle();
        FakeHeap.JVM.enqueue(tensors, done).thenRunAsync(() -> run(moves, handle, done), FakeThread.KERNELS);
        return handle;
    }

    private static void run(List<Move> moves, EnqueuedHandle handle, CompletableFuture<Void> done) {
        try {
            HostMoves kernel = new HostMoves(FakeHeap.JVM::at);
            moves.forEach(kernel::move);
            handle.succeeded();
            done.complete(null);
        } catch (RuntimeException | Error e) {
            handle.letGo();
            handle.failed(e);
            done.completeExceptionally(e);
        }
    }
}
