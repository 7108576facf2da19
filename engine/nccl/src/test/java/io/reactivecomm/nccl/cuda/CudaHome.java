package io.reactivecomm.nccl.cuda;

import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.device.DeviceHome;

/** The home of a contract's tensors on a CUDA device. */
public final class CudaHome {

    /** All on one device. */
    public static final TensorHome ONE = DeviceHome.of(CudaMemory.ofProcess(), new Device(CudaMemory.KIND, 0));

    private CudaHome() {}
}
