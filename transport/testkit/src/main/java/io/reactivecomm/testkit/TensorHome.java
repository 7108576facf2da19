package io.reactivecomm.testkit;

import io.reactivecomm.Device;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;

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
    };

    /** {@return where the n-th of several tensors is} */
    Device device(int place);

    /** {@return a tensor with the elements of one of the host's, which is on that device: itself, or a copy} */
    Tensor copy(Tensor ofHost, Device device);

    /** Gives a tensor the elements of one of the host's; what is asked of it next comes after that. */
    void write(Tensor ofHost, Tensor there);

    /** As {@link #copy}; a tensor that was copied is closed. */
    default Tensor take(Tensor ofHost, Device device) {
        Tensor there = copy(ofHost, device);
        if (there != ofHost) {
            ofHost.close();
        }
        return there;
    }
}
