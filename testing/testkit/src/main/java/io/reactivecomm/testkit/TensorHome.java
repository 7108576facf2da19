package io.reactivecomm.testkit;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.lang.foreign.MemorySegment;
import java.util.List;
import reactor.core.publisher.Mono;

/** The memory that a contract's tensors are in: the host's, or devices'. */
public interface TensorHome {

    /** The host's. */
    TensorHome HOST = new TensorHome() {

        @Override
        public Device device(int place) {
            return Device.CPU;
        }

        @Override
        public Tensor copy(Tensor ofHost, Device device) {
            return ofHost;
        }

        @Override
        public void write(Tensor ofHost, Tensor there) {
            HostMoves.run(List.of(Move.copy(ofHost, there)));
        }

        @Override
        public void write(MemorySegment elements, Tensor there) {
            there.segment().copyFrom(elements);
        }

        @Override
        public MemorySegment read(Tensor tensor) {
            return tensor.segment();
        }

        @Override
        public Mono<MemorySegment> readLater(Tensor tensor) {
            return Mono.just(tensor.segment());
        }
    };

    /** {@return where the n-th of several tensors is} */
    Device device(int place);

    /** {@return a tensor with the elements of one of the host's, which is on that device: itself, or a copy} */
    Tensor copy(Tensor ofHost, Device device);

    /** Gives a tensor the elements of one of the host's; what is asked of it next comes after that. */
    void write(Tensor ofHost, Tensor there);

    /** Gives a tensor those elements; what is asked of it next comes after that. */
    default void write(MemorySegment elements, Tensor there) {
        try (Tensor ofHost = Tensor.allocate(there.type(), there.count())) {
            ofHost.segment().copyFrom(elements);
            write(ofHost, there);
        }
    }

    /** {@return a tensor's elements, where it is or copied} Blocks where it is not the host's. */
    MemorySegment read(Tensor tensor);

    /** As {@link #read}, for a thread that must not block. */
    Mono<MemorySegment> readLater(Tensor tensor);

    /** As {@link #copy}; a tensor that was copied is closed. */
    default Tensor take(Tensor ofHost, Device device) {
        Tensor there = copy(ofHost, device);
        if (there != ofHost) {
            ofHost.close();
        }
        return there;
    }
}
