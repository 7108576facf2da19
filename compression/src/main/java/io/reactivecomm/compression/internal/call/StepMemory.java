package io.reactivecomm.compression.internal.call;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The tensors that one call needs while it goes on. They end together, however it ends, also where the memory for one of them is not to be had.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class StepMemory implements AutoCloseable {

    private final Deque<Tensor> tensors = new ArrayDeque<>();
    private final Deque<Tensor> borrowed = new ArrayDeque<>();

    private StepMemory() {}

    /** {@return a call with memory of its own, which is given back before anybody hears of the end} */
    public static <T> Mono<T> with(Function<StepMemory, Mono<T>> call) {
        boolean isBeforeTheEnd = true;
        return Mono.using(
                StepMemory::new,
                memory -> CodecThreads.guarded(() -> call.apply(memory)),
                StepMemory::close,
                isBeforeTheEnd);
    }

    /** {@return a tensor, which is closed at the end} */
    public Tensor of(Supplier<Tensor> allocation) {
        Tensor tensor = allocation.get();
        tensors.push(tensor);
        return tensor;
    }

    /**
     * Borrows a tensor of somebody else's until the end, so that its memory stays while threads of this module are at it, whoever closes it.
     *
     * @throws InvalidCallException if it is closed
     */
    public void borrow(Tensor tensor) {
        if (!tensor.borrow()) {
            throw new InvalidCallException("a tensor is closed: tensor=" + tensor + "; close it after the call");
        }
        borrowed.push(tensor);
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
        borrowed.forEach(Tensor::giveBack);
    }
}
