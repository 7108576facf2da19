package io.reactivecomm.nccl.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The CUDA C of the kernels that are on the class path. */
final class KernelSources {

    private static final String HEADER = "/io/reactivecomm/kernel/device.h";
    private static final String ENDING = ".cu";

    private static final List<String> ALL = List.of(
            "/io/reactivecomm/nccl/cuda/moves.cu",
            "/io/reactivecomm/compression/device/numbers.h",
            "/io/reactivecomm/compression/device/one_bit.cu",
            "/io/reactivecomm/compression/device/blocks.cu",
            "/io/reactivecomm/compression/device/top_k.cu");

    private KernelSources() {}

    private static List<String> present() {
        return ALL.stream().filter(each -> KernelSources.class.getResource(each) != null).toList();
    }

    private static String text(String name) {
        try (InputStream text = KernelSources.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("the source of a kernel cannot be read: name=" + name, e);
        }
    }

    /** {@return what changes with any of them} */
    static String fingerprint() {
        StringBuilder all = new StringBuilder(text(HEADER));
        present().forEach(each -> all.append(each).append(text(each)));
        return all.toString();
    }

    /** Writes them to a folder, with their header. */
    static void write(Path folder) throws IOException {
        Files.writeString(folder.resolve(fileName(HEADER)), text(HEADER));
        for (String each : present()) {
            Files.writeString(folder.resolve(fileName(each)), text(each));
        }
    }

    private static String fileName(String resource) {
        return resource.substring(resource.lastIndexOf('/') + 1);
    }

    /** {@return those that have been written to a folder} */
    static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> each.toString().endsWith(ENDING)).sorted().toList();
        }
    }
}
