package io.reactivecomm.compression.internal.call;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** The way of a device's elements to the host, where codecs run, and back. What is in the host's memory stays where it is. */
public final class InHostMemory {

    private InHostMemory() {}

    /** {@return what replaces a tensor's elements, done in the host's memory} */
    public static <T> Mono<T> replace(ProcessGroup group, Tensor tensor, Function<Tensor, Mono<T>> work) {
        return read(
                group,
                tensor,
                host -> work.apply(host)
                        .flatMap(done -> moved(group, host, tensor).thenReturn(done)));
    }

    /** {@return what reads a tensor's elements, done in the host's memory} */
    public static <T> Mono<T> read(ProcessGroup group, Tensor tensor, Function<Tensor, Mono<T>> work) {
        return with(group, tensor, host -> moved(group, tensor, host).then(Mono.defer(() -> work.apply(host))));
    }

    /** {@return what writes all of a tensor's elements, done in the host's memory} */
    public static <T> Mono<T> write(ProcessGroup group, Tensor tensor, Function<Tensor, Mono<T>> work) {
        return with(
                group,
                tensor,
                host -> work.apply(host)
                        .flatMap(done -> moved(group, host, tensor).thenReturn(done)));
    }

    private static <T> Mono<T> with(ProcessGroup group, Tensor tensor, Function<Tensor, Mono<T>> work) {
        return StepMemory.with(memory -> {
            memory.borrow(tensor);
            return tensor.device().equals(Device.CPU)
                    ? work.apply(tensor)
                    : work.apply(memory.of(() -> group.allocate(tensor.type(), tensor.count())));
        });
    }

    private static Mono<Void> moved(ProcessGroup group, Tensor from, Tensor to) {
        Mono<Void> moved =
                Mono.defer(() -> group.move(List.of(Move.copy(from, to))).completed());
        return from == to ? Mono.empty() : Lasting.whileItGoesOn(moved);
    }
}
