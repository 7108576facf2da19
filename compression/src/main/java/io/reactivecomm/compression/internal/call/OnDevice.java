package io.reactivecomm.compression.internal.call;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** The work on a device's elements where they are: codecs that enqueue kernels, and one wait at the end. */
public final class OnDevice {

    private OnDevice() {}

    /** {@return the codec for the device of a tensor; empty if it has none there, or none for elements of that type} */
    public static Optional<Codec> codec(Codec codec, ProcessGroup group, Tensor tensor) {
        Device device = tensor.device();
        boolean isEncoded = !device.equals(Device.CPU) && tensor.type().accumulator() == DType.FLOAT32;
        return isEncoded
                ? group.kernels(device).flatMap(queue -> codec.on(queue, bytes -> group.allocate(device, DType.UINT8, bytes)))
                : Optional.empty();
    }

    /** {@return what replaces a tensor's elements, ended when the device has done all that was enqueued on them} */
    public static <T> Mono<T> replace(Tensor tensor, Supplier<Mono<T>> work) {
        return StepMemory.with(memory -> {
            memory.borrow(tensor);
            return work.get().flatMap(done -> reached(tensor).thenReturn(done));
        });
    }

    /** {@return the end of all that is enqueued on a tensor now} Those of one memory are in one order, so the last to be enqueued is the last to end. */
    public static Mono<Void> reached(Tensor tensor) {
        return Mono.defer(() -> {
            Mono<Void> last = tensor.readiness();
            return last == null ? Mono.empty() : last;
        });
    }
}
