package io.reactivecomm.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelLaunch;
import io.reactivecomm.device.Move;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A tensor of a device that moves elements when the test says so. */
class DeviceTensorTest {

    private final List<Move> moves = new ArrayList<>();
    private final EnqueuedHandle handle = new EnqueuedHandle();
    private boolean isRefused;
    private final Tensor tensor =
            Tensor.onDevice(new SlowMemory(), new Device("slow", 0), 64, () -> {}, DType.FLOAT32, 2);

    private final class SlowMemory implements DeviceMemory {

        @Override
        public String kind() {
            return "slow";
        }

        @Override
        public Tensor allocate(Device device, DType type, long... shape) {
            throw new OutOfMemoryError("it has no more");
        }

        @Override
        public Handle move(List<Move> list) {
            if (isRefused) {
                throw new InvalidCallException("planted");
            }
            moves.addAll(list);
            return handle;
        }
    }

    @AfterEach
    void closeTensor() {
        Thread.interrupted();
        tensor.close();
    }

    private static boolean isBorrowed(Tensor any) {
        return !any.released().toFuture().isDone();
    }

    @Test
    void kernelThatOnlyReadsIt_doesNotWriteIt() {
        Tensor read = tensor.slice(0, 1);
        Tensor written = tensor.slice(1, 1);
        KernelLaunch launch = new KernelLaunch(
                new DeviceKernel("code", "kernel"), 1, 1, List.of(new KernelLaunch.Input(read), 7, written));
        assertThat(launch.tensors()).containsExactlyInAnyOrder(read, written);
        assertThat(launch.written()).containsExactly(written);
        ByteBuffer bytes = ByteBuffer.wrap(launch.packed()).order(ByteOrder.nativeOrder());
        assertThat(List.of(bytes.getLong(0), bytes.getLong(16))).containsExactly(64L, 68L);
    }

    @Test
    void readThatIsInterrupted_keepsBothTensors_untilTheDeviceLetsGo() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(tensor::toFloatArray).isInstanceOf(RuntimeException.class);
        Tensor copy = moves.getFirst().to();
        assertThat(isBorrowed(copy)).as("the device writes into the copy still").isTrue();
        assertThat(isBorrowed(tensor)).isTrue();
        handle.letGo();
        assertThat(isBorrowed(copy)).isFalse();
        assertThat(isBorrowed(tensor)).isFalse();
    }

    @Test
    void readThatFails_givesBothBack_whenTheDeviceLetsGo() {
        handle.failed(new CommException("planted"));
        assertThatThrownBy(tensor::toFloatArray)
                .isInstanceOf(CommException.class)
                .hasMessage("planted");
        assertThat(isBorrowed(moves.getFirst().to())).isTrue();
        handle.letGo();
        assertThat(isBorrowed(moves.getFirst().to())).isFalse();
    }

    @Test
    void readThatIsRefused_borrowsNothing() {
        isRefused = true;
        assertThatThrownBy(tensor::toFloatArray)
                .isInstanceOf(InvalidCallException.class)
                .hasMessage("planted");
        assertThat(isBorrowed(tensor)).isFalse();
    }

    /** It overwrites what has failed to be written. */
    @Test
    void write_clearsAnEarlierFailure() {
        EnqueuedHandle earlier = new EnqueuedHandle();
        tensor.enqueued(earlier);
        earlier.failed(new CommException("planted"));
        assertThat(tensor.readiness()).isNotNull();
        handle.succeeded();

        tensor.slice(0, 1).set(new float[] {1});
        assertThat(tensor.slice(0, 1).readiness()).isNull();
        assertThat(tensor.readiness()).as("the other element").isNotNull();
        tensor.set(new float[] {1, 2});
        assertThat(tensor.readiness()).isNull();
    }

    /** The device orders it behind earlier writes; the host need not. */
    @Test
    void write_doesNotWaitForEarlierWrites() {
        EnqueuedHandle earlier = new EnqueuedHandle();
        tensor.enqueued(earlier);
        handle.succeeded();

        tensor.set(new float[] {1, 2});
        earlier.failed(new CommException("too late"));
        assertThat(tensor.readiness()).isNull();
    }

    @Test
    void writeThatFails_leavesTheTensorFailed() {
        handle.failed(new CommException("planted"));
        assertThatThrownBy(() -> tensor.set(new float[] {1, 2})).hasMessage("planted");
        assertThatThrownBy(() -> Objects.requireNonNull(tensor.readiness()).block())
                .hasMessage("planted");
        handle.letGo();
    }
}
