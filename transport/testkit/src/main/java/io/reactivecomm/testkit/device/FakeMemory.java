package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.DeviceMemory;
import io.reactivecomm.Handle;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

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
        long bytes = Arrays.stream(shape).reduce(type.byteSize(), Math::multiplyExact);
        long address = FakeHeap.JVM.allocate(device, bytes);
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
        FakeHeap.JVM.enqueue(tensors, done).thenRunAsync(() -> run(moves, done), FakeThread.KERNELS);
        Mono<Void> completed = Mono.fromFuture(done, true);
        return () -> completed;
    }

    private static void run(List<Move> moves, CompletableFuture<Void> done) {
        try {
            HostMoves kernel = new HostMoves(FakeHeap.JVM::at);
            moves.forEach(kernel::move);
            done.complete(null);
        } catch (RuntimeException | Error e) {
            done.completeExceptionally(e);
        }
    }
}
