package io.reactivecomm.nccl.cuda;

import io.reactivecomm.device.KernelLaunch;
import java.util.List;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * One list of kernels on its way to a device.
 *
 * <p><b>Threads.</b> That of moves.
 */
final class KernelRun {

    private final CudaDevice device;
    private final List<KernelLaunch> launches;
    /** Of each launch. Made when it is enqueued: tensors may be closed before it is launched. */
    private final List<byte[]> arguments;

    private final CudaHandle handle;
    private @Nullable Throwable fault;

    KernelRun(CudaDevice device, List<KernelLaunch> launches, CudaHandle handle) {
        this.device = device;
        this.launches = launches;
        this.arguments = launches.stream().map(KernelLaunch::packed).toList();
        this.handle = handle;
    }

    /** Hands all to the device. The handle completes later. */
    void run() {
        CudaStream stream = device.copyStream().stream();
        try {
            handle.follow(stream);
            for (int i = 0; i < launches.size(); i++) {
                launch(launches.get(i), arguments.get(i), device.kernels(), stream);
            }
        } catch (RuntimeException | Error e) {
            fault = e;
            handle.launchFailed(e);
        }
        try {
            stream.complete(List.of(handle), this::end);
        } catch (CudaException e) {
            // The handle has been told.
            fault = e;
        }
    }

    private static void launch(KernelLaunch launch, byte[] arguments, KernelModules modules, CudaStream stream) {
        launch(modules.function(launch.kernel()), (int) launch.blocks(), launch.threads(), arguments, stream);
    }

    /** The driver copies the arguments before it returns. */
    static void launch(CUfunction function, int blocks, int threads, byte[] arguments, CudaStream stream) {
        Pointer parameters = Pointer.to(Pointer.to(arguments));
        CudaResult.check(
                "cuLaunchKernel",
                JCudaDriver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream.raw(), parameters, null));
    }

    private void end(@Nullable CudaException failed) {
        Throwable cause = fault == null ? failed : fault;
        if (cause == null) {
            handle.ended();
        } else {
            handle.abandoned(cause);
        }
        device.release();
    }
}
