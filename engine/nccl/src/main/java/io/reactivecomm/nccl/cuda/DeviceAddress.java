package io.reactivecomm.nccl.cuda;

import jcuda.driver.CUdeviceptr;

/** A number as one of JCuda's device pointers. */
final class DeviceAddress extends CUdeviceptr {

    DeviceAddress(long address) {
        super(new CUdeviceptr(), address);
    }
}
