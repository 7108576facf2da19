package io.reactivecomm.rcomm.gpu.check;

import io.reactivecomm.nccl.cuda.CudaDriver;
import java.util.LinkedHashMap;
import java.util.Map;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.JCudaDriver;

/** The driver's and the GPU's own words of what they are. */
final class DriverCheck implements Check {

    @Override
    public String name() {
        return "driver";
    }

    @Override
    public String claim() {
        return "JCuda loads and the driver answers; nothing of speed";
    }

    @Override
    public Map<String, Object> measure(Machine machine) throws SkippedCheck {
        CudaDriver driver = machine.driver();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("cuda", driver.version() / 1000 + "." + driver.version() % 1000 / 10);
        values.put("gpus", driver.devices());
        if (driver.devices() > 0) {
            CUdevice gpu = new CUdevice();
            CudaCall.check("cuDeviceGet", JCudaDriver.cuDeviceGet(gpu, Machine.DEVICE));
            values.put("gpu", driver.model(Machine.DEVICE));
            values.put(
                    "compute",
                    attribute(gpu, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + "."
                            + attribute(gpu, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
            values.put(
                    "memoryPools", attribute(gpu, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0);
        }
        return values;
    }

    private static int attribute(CUdevice gpu, int attribute) {
        int[] value = new int[1];
        CudaCall.check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, gpu));
        return value[0];
    }
}
