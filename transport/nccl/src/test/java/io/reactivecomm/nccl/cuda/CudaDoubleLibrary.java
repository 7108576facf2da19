package io.reactivecomm.nccl.cuda;

import io.reactivecomm.testkit.Gcc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The double of the CUDA driver as a shared library, compiled from {@code src/test/native/cuda} once for a state of the sources; among them is the CUDA C of
 * the kernels that are on the class path.
 */
public final class CudaDoubleLibrary {

    private static final Path SOURCES = Path.of("src", "test", "native", "cuda");
    private static final Path BUILT = Path.of("target", "cuda-double").toAbsolutePath();

    private CudaDoubleLibrary() {}

    /** {@return where it is} Several JVMs may build it at once: what each has built takes its place in one step. */
    public static Path built() {
        try {
            Path built = Files.createDirectories(BUILT.resolve(Gcc.fingerprint(sources(), KernelSources.fingerprint()))).resolve("libcuda.so.1");
            if (!Files.exists(built)) {
                Path fresh = Files.createTempFile(BUILT, "fresh", ".so");
                compile(fresh);
                Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the double of the CUDA driver: sources=" + SOURCES, e);
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.list(SOURCES)) {
            return all.sorted().toList();
        }
    }

    private static void compile(Path target) throws IOException {
        Path kernels = Files.createTempDirectory(BUILT, "kernels");
        List<String> command = new ArrayList<>(List.of("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
                "-Wl,-Bsymbolic", "-Wl,-soname,libcuda.so.1", "-pthread", "-o", target.toString()));
        sources().stream().filter(each -> each.toString().endsWith(".c")).forEach(each -> command.add(each.toString()));
        KernelSources.write(kernels);
        command.addAll(compiled(kernels));
        command.add("-lm");
        Gcc.run(command);
    }

    /** {@return the objects of kernels, behind the shim; like nvcc for them, gcc makes no fused multiplication and addition} */
    private static List<String> compiled(Path kernels) throws IOException {
        List<String> objects = new ArrayList<>();
        for (Path source : KernelSources.in(kernels)) {
            Path object = kernels.resolve(source.getFileName() + ".o");
            Gcc.run(List.of("gcc", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fPIC", "-fvisibility=hidden", "-include",
                    SOURCES.resolve("shim.h").toString(), "-I", kernels.toString(), "-c", "-x", "c", "-o", object.toString(), source.toString()));
            objects.add(object.toString());
        }
        return objects;
    }
}
