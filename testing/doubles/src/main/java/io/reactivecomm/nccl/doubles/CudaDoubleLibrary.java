package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The double of the CUDA driver as a shared library, compiled once for a state of its sources; among them is the CUDA C of the kernels on the class path. */
public final class CudaDoubleLibrary {

    private static final List<String> OPTIONS = List.of(
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-Wl,-Bsymbolic",
            "-Wl,-soname,libcuda.so.1",
            "-pthread");

    /** As nvcc for them, gcc makes no multiplication and addition one. */
    private static final List<String> KERNEL_OPTIONS = List.of(
            "-O2",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unknown-pragmas",
            "-fPIC",
            "-fvisibility=hidden",
            "-x",
            "c");

    private CudaDoubleLibrary() {}

    /** {@return where it is} Several JVMs may build it at once: what each has built takes its place in one step. */
    public static Path built() {
        try {
            DoubleSources sources =
                    DoubleSources.of("cuda", String.join(" ", OPTIONS) + KERNEL_OPTIONS, KernelSources.texts());
            Path built = sources.folder().resolve("libcuda.so.1");
            if (!Files.exists(built)) {
                Path fresh = Files.createTempFile(sources.folder(), "fresh", ".so");
                compile(sources, fresh);
                Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the double of the CUDA driver", e);
        }
    }

    private static void compile(DoubleSources sources, Path target) throws IOException {
        List<String> command = new ArrayList<>(List.of(CCompiler.NAME));
        command.addAll(OPTIONS);
        command.addAll(List.of("-o", target.toString()));
        sources.toCompile(".c").forEach(each -> command.add(each.toString()));
        Path objects = Files.createTempDirectory(sources.folder(), "objects");
        for (Path each : sources.toCompile(".cu")) {
            command.add(compiled(sources, each, objects).toString());
        }
        command.add("-lm");
        CCompiler.run(command, sources.folder());
    }

    private static Path compiled(DoubleSources sources, Path kernels, Path folder) throws IOException {
        Path object = folder.resolve(kernels.getFileName() + ".o");
        List<String> command = new ArrayList<>(List.of(CCompiler.NAME));
        command.addAll(KERNEL_OPTIONS);
        command.addAll(List.of(
                "-include", sources.source("shim.h").toString(), "-c", "-o", object.toString(), kernels.toString()));
        CCompiler.run(command, folder);
        return object;
    }
}
