package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The double of NCCL as a shared library: compiled once for a state of its sources, and linked for each dialect. */
public final class NcclDoubleLibrary {

    private static final List<String> OPTIONS =
            List.of("-O1", "-Wall", "-Wextra", "-Werror", "-fwrapv", "-fPIC", "-fvisibility=hidden", "-pthread", "-c");
    private static final Set<String> COMMON_SOURCES =
            Set.of("arithmetic.c", "comm.c", "messages.c", "shared.c", "stream.c");
    private static final ConcurrentHashMap<NcclDoubleDialect, Path> KNOWN = new ConcurrentHashMap<>();

    private NcclDoubleLibrary() {}

    /** {@return the library that all who load it have in common} */
    public static Path shared(NcclDoubleDialect dialect) {
        return KNOWN.computeIfAbsent(dialect, NcclDoubleLibrary::build);
    }

    /** {@return a copy of its own, by the library's own name; it is deleted when the JVM ends} */
    public static Path copy(NcclDoubleDialect dialect) {
        try {
            Path folder = Files.createTempDirectory("nccl-double");
            Path copy = Files.copy(shared(dialect), folder.resolve(dialect.file()));
            folder.toFile().deleteOnExit();
            copy.toFile().deleteOnExit();
            return copy;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy the double of NCCL: dialect=" + dialect, e);
        }
    }

    /** Several JVMs may do so at once: what each has built takes its place in one step. */
    private static Path build(NcclDoubleDialect dialect) {
        try {
            DoubleSources sources = DoubleSources.of("nccl", String.join(" ", OPTIONS));
            Path folder = sources.folder()
                    .resolve(dialect.name() + "-"
                            + Integer.toHexString(dialect.hidden().hashCode()));
            Path built = folder.resolve(dialect.file());
            if (!Files.exists(built)) {
                Files.createDirectories(folder);
                Path fresh = Files.createTempFile(folder, "fresh", ".so");
                List<Path> objects = new ArrayList<>(objects(Part.COMMON, sources));
                objects.addAll(objects(dialect.isOneCcl() ? Part.ONECCL : Part.NCCL, sources));
                link(dialect, objects, fresh, folder);
                Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the double of NCCL: dialect=" + dialect, e);
        }
    }

    /** The objects that all dialects have in common, and those of each: to compile takes most of the time. */
    private enum Part {
        COMMON,
        NCCL,
        ONECCL;

        boolean has(Path source) {
            return (this == COMMON)
                    == COMMON_SOURCES.contains(source.getFileName().toString());
        }
    }

    private static synchronized List<Path> objects(Part part, DoubleSources sources) throws IOException {
        Path folder = sources.folder().resolve("objects-" + part);
        if (!Files.exists(folder)) {
            Path fresh = Files.createTempDirectory(sources.folder(), "fresh");
            compile(sources.toCompile(".c").stream().filter(part::has).toList(), part, fresh);
            DoubleSources.place(fresh, folder);
        }
        return DoubleSources.files(folder, ".o");
    }

    /** Two at a time: the machine of a build has two processors at least. */
    private static void compile(List<Path> sources, Part part, Path folder) {
        int half = sources.size() / 2;
        Stream.of(sources.subList(0, half), sources.subList(half, sources.size()))
                .parallel()
                .forEach(some -> compileSome(some, part, folder));
    }

    private static void compileSome(List<Path> sources, Part part, Path folder) {
        List<String> command = new ArrayList<>(List.of(CCompiler.NAME, "-DDIALECT_" + part));
        command.addAll(OPTIONS);
        sources.forEach(each -> command.add(each.toString()));
        try {
            CCompiler.run(command, folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compile the double of NCCL: sources=" + sources, e);
        }
    }

    private static void link(NcclDoubleDialect dialect, List<Path> objects, Path target, Path folder)
            throws IOException {
        Path script = Files.writeString(
                target.resolveSibling(target.getFileName() + ".exports"),
                "{ local: " + dialect.hidden().stream().map(each -> each + "; ").collect(Collectors.joining())
                        + "};\n");
        List<String> command = new ArrayList<>(List.of(
                CCompiler.NAME,
                "-shared",
                "-Wl,-Bsymbolic",
                "-Wl,--version-script=" + script,
                "-pthread",
                "-o",
                target.toString()));
        objects.forEach(each -> command.add(each.toString()));
        CCompiler.run(command, folder);
        Files.delete(script);
    }
}
