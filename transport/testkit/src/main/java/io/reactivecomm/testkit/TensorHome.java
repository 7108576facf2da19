package io.reactivecomm.testkit;

import io.reactivecomm.Device;
import io.reactivecomm.Tensor;

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
    };

    /** {@return where the n-th of several tensors is} */
    Device device(int place);

    /** {@return a tensor with the elements of one of the host's, which is on that device: itself, or a copy} */
    Tensor copy(Tensor ofHost, Device device);

    /** As {@link #copy}; a tensor that was copied is closed. */
    default Tensor take(Tensor ofHost, Device device) {
        Tensor there = copy(ofHost, device);
        if (there != ofHost) {
            ofHost.close();
        }
        return there;
    }
}
