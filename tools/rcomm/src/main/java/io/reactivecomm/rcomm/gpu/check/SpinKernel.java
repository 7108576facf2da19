package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.device.DeviceKernel;
import jcuda.Pointer;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A kernel that computes, touches next to no memory, and takes as long as it is told: from PTX, which the driver compiles for its GPU.
 *
 * <p><b>Threads.</b> The device's own.
 */
public final class SpinKernel implements AutoCloseable {

    private static final String SOURCE = "spin.ptx";
    private static final int WIDTH = 256;
    private static final int FACTOR = 1664525;
    private static final int SUMMAND = 1013904223;

    private final CUmodule module = new CUmodule();
    private final CUfunction function = new CUfunction();
    private final int blocks;
    private final DeviceBlock out;

    /** Loads it, for the device whose context is current. One block of threads for each processor of the GPU. */
    public SpinKernel(int device) {
        blocks = Math.max(1, processors(device));
        CudaCall.check(
                "cuModuleLoadData", JCudaDriver.cuModuleLoadData(module, DeviceKernel.text(SpinKernel.class, SOURCE)));
        CudaCall.check("cuModuleGetFunction", JCudaDriver.cuModuleGetFunction(function, module, "spin"));
        out = new DeviceBlock(blocks * WIDTH * Integer.BYTES);
    }

    private static int processors(int device) {
        CUdevice gpu = new CUdevice();
        int[] value = new int[1];
        CudaCall.check("cuDeviceGet", JCudaDriver.cuDeviceGet(gpu, device));
        int attribute = CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        CudaCall.check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, gpu));
        return value[0];
    }

    /** Enqueues so many turns of each thread. */
    public void launch(int turns, CUstream stream) {
        Pointer parameters = Pointer.to(Pointer.to(out), Pointer.to(new int[] {turns}));
        CudaCall.check(
                "cuLaunchKernel",
                JCudaDriver.cuLaunchKernel(function, blocks, 1, 1, WIDTH, 1, 1, 0, stream, parameters, null));
    }

    /** @throws IllegalStateException if its threads have not come to where so many turns lead */
    void verify(int turns) {
        int[] found = out.read();
        for (int thread : new int[] {0, found.length - 1}) {
            int expected = thread;
            for (int i = 0; i < turns; i++) {
                expected = expected * FACTOR + SUMMAND;
            }
            if (found[thread] != expected) {
                throw new IllegalStateException("a kernel computes wrongly: thread=" + thread + ", turns=" + turns
                        + ", found=" + found[thread] + ", expected=" + expected);
            }
        }
    }

    @Override
    public void close() {
        out.close();
        CudaCall.check("cuModuleUnload", JCudaDriver.cuModuleUnload(module));
    }
}
