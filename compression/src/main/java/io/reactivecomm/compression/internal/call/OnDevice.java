package io.reactivecomm.compression.internal.call;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.KernelQueue;
import io.reactivecomm.device.Move;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongFunction;
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
    /** Its scale is a norm, which is finite if all elements are, because their squares are summed as doubles. */
    private final Codec norm;

    private final Collection<Handle> kernels;

    private OnDevice(ProcessGroup group, Tensor tensor, Codec codec, Codec norm, Collection<Handle> kernels) {
        this.group = group;
        this.tensor = tensor;
        this.codec = codec;
        this.norm = norm;
        this.kernels = kernels;
    }

    /** {@return the work on a tensor where it is; empty if the codec has no kernels there, or none for elements of that type} */
    public static Optional<OnDevice> of(Codec codec, ProcessGroup group, Tensor tensor) {
        Device device = tensor.device();
        if (device.equals(Device.CPU) || tensor.type().accumulator() != DType.FLOAT32) {
            return Optional.empty();
        }
        Collection<Handle> kernels = new ConcurrentLinkedQueue<>();
        LongFunction<Tensor> scratch = bytes -> group.allocate(device, DType.UINT8, bytes);
        return group.kernels(device)
                .map(queue -> noting(queue, kernels))
                .flatMap(queue -> codec.on(queue, scratch)
                        .flatMap(there -> new OneBit()
                                .on(queue, scratch)
                                .map(norm -> new OnDevice(group, tensor, there, norm, kernels))));
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

    /** {@return the end of all kernels on all ranks, with whether the tensor's elements are finite} */
    public Mono<Boolean> ended() {
        return StepMemory.with(memory -> {
            if (tensor.count() == 0) {
                return kernelsEnded().thenReturn(true);
            }
            Tensor encoded =
                    memory.of(() -> group.allocate(tensor.device(), DType.UINT8, norm.maxEncodedBytes(tensor.count())));
            Tensor scale = memory.of(() -> Tensor.allocate(DType.FLOAT64, 1));
            norm.encode(tensor, 1, encoded, new long[1]);
            kernels.add(group.move(
                    List.of(Move.copy(encoded.slice(0, Double.BYTES), scale.view(DType.UINT8, Double.BYTES)))));
            return kernelsEnded().then(Mono.fromSupplier(() -> Double.isFinite(scale.toDoubleArray()[0])));
        });
    }

    /**
     * {@return the end of all kernels, on all ranks} What a kernel should have written has gone to other ranks by then, whether or not it ran, and
     * they see nothing amiss: so none ends well before all have.
     */
    private Mono<Void> kernelsEnded() {
        Mono<Void> kernelsEnd = Mono.defer(
                () -> Mono.when(kernels.stream().map(Handle::completed).toList()));
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
