package io.reactivecomm.compression.internal.state;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Handle;
import io.reactivecomm.device.Move;
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
        public Handle move(List<Move> moves) {
            HostMoves.run(moves);
            return Handle.DONE;
        }
    };

    /** A device's. @param group whose engine has the device */
    record OnDevice(ProcessGroup group, Device device) implements StateHome {

        @Override
        public Tensor allocate(DType type, long count) {
            return group.allocate(device, type, count);
        }

        @Override
        public Handle move(List<Move> moves) {
            return group.move(moves);
        }
    }

    Device device();

    /** {@return zeros} */
    Tensor allocate(DType type, long count);

    /** Moves within it, and from or to the host's memory, at once or behind what is enqueued there; the tensors may be closed after it. */
    Handle move(List<Move> moves);
}
