package io.reactivecomm.spi.engine;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.DeviceMemory;
import io.reactivecomm.device.Handle;
import java.util.List;

/**
 * The memory of the devices of one kind as one rank uses it, for engines of other modules: those that perform calls on the host, or give addresses of devices to a
 * library. {@link RankMemoryProvider} opens it.
 *
 * <p><b>Threads.</b> Any; only what says so blocks.
 */
public interface RankMemory extends DeviceMemory, AutoCloseable {

    /**
     * Opens the rank's own device, which is otherwise opened when it is first used. Blocks.
     *
     * @throws io.reactivecomm.CommException if it cannot be used, with the reason
     */
    void openDevice();

    /**
     * Requires that tensors are in memory whose order is known.
     *
     * @throws io.reactivecomm.InvalidCallException if one is not, with the remedy
     */
    void requireKnown(List<Tensor> tensors);

    /** {@return what completes when the device has done all that was enqueued before on the tensors, which are on one device} It stands in their order, as a call does. */
    Handle settled(List<Tensor> tensors);

    /** Makes a device current for native code on this thread, until the result is closed there. May block if the device is not open. */
    Current current(Device device);

    /** Frees what the rank holds of the devices, once its tensors are closed. Idempotent. */
    @Override
    void close();

    /** The time in which a device is current on a thread. */
    interface Current extends AutoCloseable {

        @Override
        void close();
    }
}
