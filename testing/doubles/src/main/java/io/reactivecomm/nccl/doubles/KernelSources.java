package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The CUDA C of the kernels that are on the class path, which the double runs in place of their PTX. */
final class KernelSources {

    /** Those that modules of this house have; a program has some of them, or none. */
    private static final List<String> ALL = List.of(
            "/io/reactivecomm/kernel/device.h",
            "/io/reactivecomm/nccl/cuda/moves.cu",
            "/io/reactivecomm/compression/device/numbers.h",
            "/io/reactivecomm/compression/device/one_bit.cu",
            "/io/reactivecomm/compression/device/blocks.cu",
            "/io/reactivecomm/compression/device/top_k.cu");

    private KernelSources() {}

    /** {@return the texts of those that are there, by their files' names} */
    static Map<String, byte[]> texts() throws IOException {
        Map<String, byte[]> texts = new TreeMap<>();
        for (String each : ALL) {
            try (InputStream text = KernelSources.class.getResourceAsStream(each)) {
                if (text != null) {
                    texts.put(each.substring(each.lastIndexOf('/') + 1), text.readAllBytes());
                }
            }
        }
        return texts;
    }
}
