package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Move;
import java.lang.foreign.MemorySegment;
import java.util.List;
import reactor.core.publisher.Mono;

/** The moves of a contract's own: both tensors are borrowed until the end, and by the time that anybody hears of it no more. */
final class OwnMoves {

    private OwnMoves() {}

    /** Begins at once. {@return the end} */
    static Mono<Void> copied(DeviceMemory memory, Tensor from, Tensor to) {
        List<Tensor> both = List.of(from, to);
        both.forEach(OwnMoves::borrow);
        return memory.move(List.of(Move.copy(from, to)))
                .completed()
                .doOnTerminate(() -> both.forEach(Tensor::giveBack))
                .cache();
    }

    /** Begins at once. {@return the bytes of a tensor} */
    static Mono<MemorySegment> bytes(DeviceMemory memory, Tensor tensor) {
        Tensor copy = Tensor.allocate(tensor.type(), tensor.count());
        Mono<Void> copied = copied(memory, tensor, copy);
        return Mono.using(() -> copy, there -> copied.then(Mono.fromSupplier(() -> bytes(there))), Tensor::close);
    }

    private static MemorySegment bytes(Tensor ofHost) {
        return MemorySegment.ofArray(ofHost.view(DType.UINT8, ofHost.byteSize()).toByteArray());
    }

    private static void borrow(Tensor tensor) {
        if (!tensor.borrow()) {
            throw new IllegalStateException("a contract's tensor is closed: tensor=" + tensor);
        }
    }
}
