package io.reactivecomm.internal.composite;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * The tensors that one operation needs for itself, closed together at its end.
 *
 * <p><b>Threads.</b> Any: a step that a device holds up may be at work when the operation ends, and what it still makes is closed at once.
 */
final class Temporaries implements AutoCloseable {

    private final String operation;
    private final List<Tensor> tensors = new ArrayList<>();
    private boolean isClosed;

    /** @param operation its name in prose, for errors */
    Temporaries(String operation) {
        this.operation = operation;
    }

    /**
     * {@return a zeroed tensor}
     *
     * @throws CommException if no machine, or not this one, has that memory
     */
    Tensor tensor(DType type, long... shape) {
        return tensor(() -> Tensor.allocate(type, shape), type, shape);
    }

    /** As {@link #tensor(DType, long...)}, on the device of another. */
    Tensor tensorBeside(Tensor other, ProcessGroup group, long... shape) {
        return other.device().equals(Device.CPU)
                ? tensor(other.type(), shape)
                : tensor(() -> group.allocate(other.device(), other.type(), shape), other.type(), shape);
    }

    private Tensor tensor(Supplier<Tensor> allocation, DType type, long... shape) {
        try {
            return kept(allocation.get());
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            throw new CommException(
                    operation + " got no memory: type=" + type + ", shape=" + Arrays.toString(shape)
                            + "; free memory, or give it less at once",
                    e);
        }
    }

    /** {@return that tensor, which is closed with the others} */
    synchronized Tensor kept(Tensor tensor) {
        if (isClosed) {
            tensor.close();
        } else {
            tensors.add(tensor);
        }
        return tensor;
    }

    /** {@return that tensor, which is closed with the others no more} */
    synchronized Tensor handedOut(Tensor tensor) {
        tensors.remove(tensor);
        return tensor;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        tensors.forEach(Tensor::close);
    }
}
