package io.reactivecomm.nccl.cuda;

import io.reactivecomm.device.DeviceKernel;
import java.util.HashMap;
import java.util.Map;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;

/**
 * The kernels that a device has compiled: each text once, when one of it is first launched, which takes the driver some milliseconds.
 *
 * <p><b>Threads.</b> That of moves.
 */
final class KernelModules {

    private final Map<String, CUmodule> modules = new HashMap<>();
    private final Map<DeviceKernel, CUfunction> functions = new HashMap<>();

    /**
     * {@return the function}
     *
     * @throws CudaException if the driver does not take the text, or it has no such function
     */
    CUfunction function(DeviceKernel kernel) {
        CUfunction known = functions.get(kernel);
        return known != null ? known : loaded(kernel);
    }

    private CUfunction loaded(DeviceKernel kernel) {
        CUmodule module = modules.get(kernel.code());
        if (module == null) {
            module = new CUmodule();
            CudaResult.check("cuModuleLoadData", JCudaDriver.cuModuleLoadData(module, kernel.code()));
            modules.put(kernel.code(), module);
        }
        CUfunction function = new CUfunction();
        CudaResult.check("cuModuleGetFunction", JCudaDriver.cuModuleGetFunction(function, module, kernel.entry()));
        functions.put(kernel, function);
        return function;
    }

    /** Gives all back. On a device that has failed that does nothing. */
    void close() {
        modules.values().forEach(JCudaDriver::cuModuleUnload);
        modules.clear();
        functions.clear();
    }
}
