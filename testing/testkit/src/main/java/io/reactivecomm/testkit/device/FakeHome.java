package io.reactivecomm.testkit.device;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.TensorHome;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Homes of tensors on fake devices. A loop does not wait for what is copied there: what comes next on such a tensor is ordered behind that. */
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
        write(ofHost, there);
        return there;
    }

    @Override
    public void write(Tensor ofHost, Tensor there) {
        if (there.device().equals(Device.CPU)) {
            HostMoves.run(List.of(Move.copy(ofHost, there)));
        } else if (Schedulers.isInNonBlockingThread()) {
            OwnMoves.copied(FakeMemory.JVM, ofHost, there).subscribe();
        } else {
            // For cases that require a tensor to be borrowed by nobody.
            FakeHeap.JVM.settled(there).copyFrom(ofHost.segment());
        }
    }

    @Override
    public MemorySegment read(Tensor tensor) {
        return MemorySegment.ofArray(FakeHeap.JVM.settled(tensor).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public Mono<MemorySegment> readLater(Tensor tensor) {
        return OwnMoves.bytes(FakeMemory.JVM, tensor);
    }
}
