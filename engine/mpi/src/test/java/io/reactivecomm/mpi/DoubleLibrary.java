package io.reactivecomm.mpi;

import io.reactivecomm.testkit.Gcc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The double of MPI as a shared library, compiled from {@code src/test/native} once for a dialect and state of the sources. */
final class DoubleLibrary {

    private static final Path SOURCES = Path.of("src", "test", "native");
    private static final Path BUILT = Path.of("target", "mpi-double").toAbsolutePath();
    private static final ConcurrentHashMap<String, Path> KNOWN = new ConcurrentHashMap<>();
    private static final AtomicLong COPIES = new AtomicLong();

    private DoubleLibrary() {}

    /** {@return a copy of its own: what a process has loaded} Whoever has loaded it deletes it. */
    static Path copy(DoubleDialect dialect) {
        return copy(dialect, "");
    }

    /** As the other, built with a further option of the compiler's. */
    static Path copy(DoubleDialect dialect, String option) {
        Path built = KNOWN.computeIfAbsent(dialect + option, ignored -> build(dialect, option));
        Path copy =
                BUILT.resolve(dialect.file() + "." + ProcessHandle.current().pid() + "-" + COPIES.incrementAndGet());
        try {
            return Files.copy(built, copy);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy the double of MPI: from=" + built + ", to=" + copy, e);
        }
    }

    /** Several JVMs may do so at once: what each has built takes its place in one step. */
    private static Path build(DoubleDialect dialect, String option) {
        try {
            Files.createDirectories(BUILT);
            Path built = BUILT.resolve(dialect + "-" + Gcc.fingerprint(sources(), option) + ".so");
            if (!Files.exists(built)) {
                Path fresh = Files.createTempFile(BUILT, "fresh", ".so");
                compile(dialect, option, fresh);
                Files.move(fresh, built, StandardCopyOption.ATOMIC_MOVE);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot build the double of MPI: dialect=" + dialect, e);
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.list(SOURCES)) {
            return all.sorted().toList();
        }
    }

    private static void compile(DoubleDialect dialect, String option, Path target) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "gcc",
                "-DDIALECT_" + dialect,
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fwrapv",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-Wl,-Bsymbolic",
                "-pthread",
                "-o",
                target.toString()));
        sources().stream().filter(each -> each.toString().endsWith(".c")).forEach(each -> command.add(each.toString()));
        if (!option.isEmpty()) {
            command.add(option);
        }
        Gcc.run(command);
    }
}
