package io.reactivecomm.testkit.device;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.TensorHome;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A home of a contract's tensors in the memory of devices.
 *
 * @param memory of the devices
 * @param places the device of the n-th of several tensors, which may be the host
 */
public record DeviceHome(DeviceMemory memory, IntFunction<Device> places) implements TensorHome {

    /** {@return all on one device} */
    public static DeviceHome of(DeviceMemory memory, Device device) {
        return new DeviceHome(memory, place -> device);
    }

    @Override
    public Device device(int place) {
        return places.apply(place);
    }

    @Override
    public Tensor copy(Tensor ofHost, Device device) {
        if (device.equals(Device.CPU)) {
            return ofHost;
        }
        Tensor there = memory.allocate(device, ofHost.type(), ofHost.shape());
        write(ofHost, there);
        return there;
    }

    @Override
    public void write(Tensor ofHost, Tensor there) {
        if (there.device().equals(Device.CPU)) {
            HostMoves.run(List.of(Move.copy(ofHost, there)));
            return;
        }
        Mono<Void> written = OwnMoves.copied(memory, ofHost, there);
        if (Schedulers.isInNonBlockingThread()) {
            written.subscribe();
        } else {
            written.block();
        }
    }

    @Override
    public MemorySegment read(Tensor tensor) {
        return tensor.device().equals(Device.CPU)
                ? tensor.segment()
                : MemorySegment.ofArray(
                        tensor.view(DType.UINT8, tensor.byteSize()).toByteArray());
    }

    @Override
    public Mono<MemorySegment> readLater(Tensor tensor) {
        if (tensor.device().equals(Device.CPU)) {
            return Mono.just(tensor.segment());
        }
        return OwnMoves.bytes(memory, tensor);
    }
}
