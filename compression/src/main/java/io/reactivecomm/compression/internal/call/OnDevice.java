package io.reactivecomm.compression.internal.call;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.Handle;
import io.reactivecomm.KernelQueue;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The work of one call on a device's elements where they are: a codec that enqueues kernels, and one wait at the end.
 *
 * <p><b>Threads.</b> Any, one after the other.
 */
public final class OnDevice {

    private final ProcessGroup group;
    private final Tensor tensor;
    private final Codec codec;
    private final Collection<Handle> kernels;

    private OnDevice(ProcessGroup group, Tensor tensor, Codec codec, Collection<Handle> kernels) {
        this.group = group;
        this.tensor = tensor;
        this.codec = codec;
        this.kernels = kernels;
    }

    /** {@return the work on a tensor where it is; empty if the codec has no kernels there, or none for elements of that type} */
    public static Optional<OnDevice> of(Codec codec, ProcessGroup group, Tensor tensor) {
        Device device = tensor.device();
        if (device.equals(Device.CPU) || tensor.type().accumulator() != DType.FLOAT32) {
            return Optional.empty();
        }
        Collection<Handle> kernels = new ConcurrentLinkedQueue<>();
        return group.kernels(device)
                .flatMap(queue -> codec.on(noting(queue, kernels), bytes -> group.allocate(device, DType.UINT8, bytes)))
                .map(there -> new OnDevice(group, tensor, there, kernels));
    }

    private static KernelQueue noting(KernelQueue queue, Collection<Handle> kernels) {
        return launches -> {
            Handle handle = queue.launch(launches);
            kernels.add(handle);
            return handle;
        };
    }

    /** {@return the codec for the device} */
    public Codec codec() {
        return codec;
    }

    /** {@return what replaces the tensor's elements, ended when the device has done all that was enqueued on them} */
    public <T> Mono<T> replace(Supplier<Mono<T>> work) {
        return StepMemory.with(memory -> {
            memory.borrow(tensor);
            return work.get().flatMap(done -> reached(tensor).thenReturn(done));
        });
    }

    /**
     * {@return the end of all kernels, on all ranks} What a kernel should have written has gone to other ranks by then, whether or not it ran, and
     * they see nothing amiss: so none ends well before all have.
     */
    public Mono<Void> ended() {
        Mono<Void> kernelsEnd = Mono.defer(() -> Mono.when(kernels.stream().map(Handle::completed).toList()));
        return Lasting.whileItGoesOn(kernelsEnd)
                .then(reached(tensor))
                .then(Mono.defer(group::barrier))
                .then();
    }

    /** {@return the end of all that is enqueued on a tensor now} */
    public static Mono<Void> reached(Tensor tensor) {
        return Lasting.whileItGoesOn(Mono.defer(() -> {
            Mono<Void> last = tensor.readiness();
            return last == null ? Mono.empty() : last;
        }));
    }
}
