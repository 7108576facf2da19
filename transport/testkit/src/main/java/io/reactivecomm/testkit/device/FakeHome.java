package io.reactivecomm.testkit.device;

import io.reactivecomm.Device;
import io.reactivecomm.Move;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.TensorHome;
import java.util.List;

/** Homes of tensors on fake devices. Nobody waits for what is copied there: what comes next on such a tensor is ordered behind that. */
public enum FakeHome implements TensorHome {

    /** All on one device. */
    ONE {
        @Override
        public Device device(int place) {
            return FakeMemory.device(0);
        }
    },

    /** In turn in the host's memory, on one device and on another. */
    MIXED {
        @Override
        public Device device(int place) {
            return place % 3 == 0 ? Device.CPU : FakeMemory.device(place % 3);
        }
    };

    @Override
    public Tensor copy(Tensor ofHost, Device device) {
        if (device.equals(Device.CPU)) {
            return ofHost;
        }
        Tensor there = FakeMemory.JVM.allocate(device, ofHost.type(), ofHost.shape());
        List<Tensor> both = List.of(ofHost, there);
        both.forEach(FakeHome::borrow);
        FakeMemory.JVM.move(List.of(Move.copy(ofHost, there))).completed().doFinally(end -> both.forEach(Tensor::giveBack)).subscribe();
        return there;
    }

    private static void borrow(Tensor tensor) {
        if (!tensor.borrow()) {
            throw new IllegalStateException("a contract's tensor is closed: tensor=" + tensor);
        }
    }
}
