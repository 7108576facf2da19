package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The double of the CUDA driver as a shared library, compiled once for a state of its sources. */
public final class CudaDoubleLibrary {

    private static final List<String> OPTIONS = List.of("-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
            "-Wl,-Bsymbolic", "-Wl,-soname,libcuda.so.1", "-pthread");

    private CudaDoubleLibrary() {}

    /** {@return where it is} Several JVMs may build it at once: what each has built takes its place in one step. */
    public static Path built() {
        try {
            DoubleSources sources = DoubleSources.of("cuda", String.join(" ", OPTIONS));
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
        sources.toCompile().forEach(each -> command.add(each.toString()));
        CCompiler.run(command, sources.folder());
    }
}
