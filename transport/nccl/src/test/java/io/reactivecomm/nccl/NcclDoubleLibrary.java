package io.reactivecomm.nccl;

import io.reactivecomm.testkit.Gcc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The double of NCCL as a shared library: compiled from {@code src/test/native/nccl} once for a state of the sources, and linked for each dialect.
 */
final class NcclDoubleLibrary {

    private static final Path SOURCES = Path.of("src", "test", "native", "nccl").toAbsolutePath();
    private static final Path BUILT = Path.of("target", "nccl-double").toAbsolutePath();
    private static final Set<String> COMMON_SOURCES = Set.of("arithmetic.c", "comm.c", "messages.c", "shared.c", "stream.c");
    private static final ConcurrentHashMap<NcclDoubleDialect, Path> KNOWN = new ConcurrentHashMap<>();
    private static final AtomicLong COPIES = new AtomicLong();

    private NcclDoubleLibrary() {}

    /** {@return the library that all who load it have in common} */
    static Path shared(NcclDoubleDialect dialect) {
        return KNOWN.computeIfAbsent(dialect, NcclDoubleLibrary::build);
    }

    /** {@return a copy of its own, by the library's own name; it is deleted when the JVM ends} */
    static Path copy(NcclDoubleDialect dialect) {
        Path folder = BUILT.resolve("copies").resolve(ProcessHandle.current().pid() + "-" + COPIES.incrementAndGet());
        try {
            Files.createDirectories(folder);
            Path copy = Files.copy(shared(dialect), folder.resolve(dialect.file()), StandardCopyOption.REPLACE_EXISTING);
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
            Path folder = BUILT.resolve(fingerprint()).resolve(dialect.name());
            Path built = folder.resolve(dialect.file());
            if (!Files.exists(built)) {
                Files.createDirectories(folder);
                Path fresh = Files.createTempFile(folder, "fresh", ".so");
                List<Path> objects = new ArrayList<>(objects(Part.COMMON));
                objects.addAll(objects(dialect.isOneCcl() ? Part.ONECCL : Part.NCCL));
                link(dialect, objects, fresh);
                Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the double of NCCL: dialect=" + dialect, e);
        }
    }

    private static String fingerprint() throws IOException {
        return Gcc.fingerprint(files(SOURCES, ""), "");
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(each -> Files.isRegularFile(each) && each.toString().endsWith(ending)).sorted().toList();
        }
    }

    /** The objects that all dialects have in common, and those of each: to compile takes most of the time. */
    private enum Part {
        COMMON,
        NCCL,
        ONECCL;

        boolean has(Path source) {
            return (this == COMMON) == COMMON_SOURCES.contains(source.getFileName().toString());
        }
    }

    private static synchronized List<Path> objects(Part part) throws IOException {
        Path folder = BUILT.resolve(fingerprint()).resolve("objects-" + part);
        if (!Files.exists(folder)) {
            Files.createDirectories(folder.getParent());
            Path fresh = Files.createTempDirectory(folder.getParent(), "fresh");
            compile(part, fresh);
            try {
                Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                if (!Files.exists(folder)) {
                    throw e;
                }
            }
        }
        return files(folder, ".o");
    }

    /** Two at a time: the machine of a build has two processors at least. */
    private static void compile(Part part, Path folder) throws IOException {
        List<Path> sources = files(SOURCES, ".c").stream().filter(part::has).toList();
        int half = sources.size() / 2;
        Stream.of(sources.subList(0, half), sources.subList(half, sources.size())).parallel().forEach(some -> compile(part, some, folder));
    }

    private static void compile(Part part, List<Path> sources, Path folder) {
        List<String> command = new ArrayList<>(List.of("gcc", "-DDIALECT_" + part, "-O1", "-Wall", "-Wextra", "-Werror", "-fwrapv", "-fPIC",
                "-fvisibility=hidden", "-pthread", "-c"));
        sources.forEach(each -> command.add(each.toString()));
        try {
            Gcc.run(command, folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compile the double of NCCL: sources=" + sources, e);
        }
    }

    private static void link(NcclDoubleDialect dialect, List<Path> objects, Path target) throws IOException {
        Path script = Files.writeString(target.resolveSibling(target.getFileName() + ".exports"),
                "{ local: " + dialect.hidden().stream().map(each -> each + "; ").collect(Collectors.joining()) + "};\n");
        List<String> command = new ArrayList<>(List.of("gcc", "-shared", "-Wl,-Bsymbolic", "-Wl,--version-script=" + script, "-pthread", "-o",
                target.toString()));
        objects.forEach(each -> command.add(each.toString()));
        Gcc.run(command, BUILT);
        Files.delete(script);
    }

    /** {@return a program of {@code src/test/native/nccl/programs}, built, or a library if the options say so} */
    static Path program(String name, String... options) throws IOException {
        Path source = SOURCES.resolve("programs").resolve(name + ".c");
        Path folder = Files.createDirectories(BUILT.resolve("programs"));
        Path built = Files.createTempFile(folder, name, ".out");
        List<String> command = new ArrayList<>(List.of("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", built.toString(), source.toString(),
                "-ldl"));
        command.addAll(List.of(options));
        Gcc.run(command, folder);
        built.toFile().deleteOnExit();
        return built;
    }
}
