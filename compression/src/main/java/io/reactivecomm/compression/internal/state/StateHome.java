package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import io.reactivecomm.Device;
import io.reactivecomm.Move;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;

/** The memory that a state is in: where the elements are encoded that it is of. */
public interface StateHome {

    /** The host's. */
    StateHome HOST = new StateHome() {

        @Override
        public Device device() {
            return Device.CPU;
        }

        @Override
        public Tensor allocate(DType type, long count) {
            return Tensor.allocate(type, count);
        }

        @Override
        public void copy(Tensor from, Tensor to) {
            HostMoves.run(List.of(Move.copy(from, to)));
        }
    };

    /** A device's. @param group whose engine has the device */
    record OnDevice(ProcessGroup group, Device device) implements StateHome {

        @Override
        public Tensor allocate(DType type, long count) {
            return group.allocate(device, type, count);
        }

        @Override
        public void copy(Tensor from, Tensor to) {
            group.move(List.of(Move.copy(from, to)));
        }
    }

    Device device();

    /** {@return zeros} */
    Tensor allocate(DType type, long count);

    /** Copies from the host's memory, at once or behind what is enqueued on the target; the source may be closed after it. */
    void copy(Tensor from, Tensor to);
}
