package io.reactivecomm.compression;

import io.reactivecomm.device.DeviceKernel;
import io.reactivecomm.device.KernelLaunch;
import java.util.List;

/** The kernels of a codec, which are compiled from one source; the numbers here are those of {@code device/numbers.h}. */
final class CodecKernels {

    /** Threads of a block. */
    static final int THREADS = 256;

    /** The elements that a block of threads has at once, eight for each. */
    static final int TILE = THREADS * 8;

    /**
     * The elements that a block of threads counts or adds up before it tells of them: few enough that a million elements have a block for each
     * multiprocessor of a large GPU.
     */
    static final int CHUNK = 4 * TILE;

    private final String code;

    /** @param source its name, without an ending */
    CodecKernels(String source) {
        code = DeviceKernel.text(CodecKernels.class, "device/" + source + ".ptx");
    }

    DeviceKernel named(String entry) {
        return new DeviceKernel(code, entry);
    }

    /** {@return a launch of so many blocks} */
    static KernelLaunch launch(DeviceKernel kernel, long blocks, List<Object> arguments) {
        return new KernelLaunch(kernel, blocks, THREADS, arguments);
    }
}
