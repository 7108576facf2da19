package io.reactivecomm.compression.reduce;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.FiniteElements;
import io.reactivecomm.compression.internal.call.OnDevice;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.device.Device;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The place where elements are encoded: the host, or a device.
 *
 * @param group in which ranks agree on the step
 * @param calls makes the calls of elements
 * @param codec encodes them there
 * @param end of what calls and codec have only enqueued, with whether the result is finite; begun on a thread that may compute
 */
record EncodingPlace(ProcessGroup group, ProcessGroup calls, Codec codec, Supplier<Mono<Boolean>> end) {

    static EncodingPlace onHost(Codec codec, ProcessGroup group, Tensor values) {
        return new EncodingPlace(group, group, codec, () -> Mono.just(FiniteElements.only(values)));
    }

    static EncodingPlace on(OnDevice device, ProcessGroup group) {
        return new EncodingPlace(group, group.enqueued(), device.codec(), device::ended);
    }

    /** {@return where the state of those elements is} */
    StateHome home(Tensor values) {
        return values.device().equals(Device.CPU) ? StateHome.HOST : new StateHome.OnDevice(group, values.device());
    }
}
