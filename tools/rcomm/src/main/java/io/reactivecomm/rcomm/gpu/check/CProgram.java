package io.reactivecomm.rcomm.gpu.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The messages of {@link Pairs} by a program in C, which is compiled here and does a round for each line that it is given. It needs no headers of CUDA's or
 * NCCL's: both are loaded by name.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class CProgram implements AutoCloseable {

    private static final String SOURCE = "gpu_check.c";
    private static final String TIMES = "times ";
    private static final List<String> COMPILERS = List.of("cc", "gcc", "clang", "nvcc");

    /** A compiler, or all rounds: what takes longer never ends. */
    private static final long LIMIT_SECONDS = 120;

    private final Path folder;
    private final Process process;
    private final BufferedReader lines;
    private final Writer orders;
    private final String compiler;

    private CProgram(Path folder, String compiler, Process process) {
        this.folder = folder;
        this.compiler = compiler;
        this.process = process;
        lines = process.inputReader();
        orders = process.outputWriter();
        CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
    }

    /**
     * Compiles and starts it.
     *
     * @param library by the name that it is loaded by
     * @throws SkippedCheck if there is no compiler
     */
    static CProgram start(String library, CheckSizes sizes) throws SkippedCheck, IOException {
        Path folder = Files.createTempDirectory("rcomm-gpu-check");
        boolean isStarted = false;
        try {
            String compiler = compile(folder);
            Process process = new ProcessBuilder(
                            folder.resolve("gpu_check").toString(),
                            library,
                            String.valueOf(Machine.DEVICE),
                            String.valueOf(sizes.pairs()),
                            String.valueOf(sizes.pairBytes()))
                    .redirectError(folder.resolve("errors").toFile())
                    .start();
            isStarted = true;
            return new CProgram(folder, compiler, process);
        } finally {
            if (!isStarted) {
                remove(folder);
            }
        }
    }

    private static String compile(Path folder) throws SkippedCheck, IOException {
        Path source = folder.resolve(SOURCE);
        try (InputStream text = CProgram.class.getResourceAsStream(SOURCE)) {
            Files.copy(text, source, StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> complaints = new ArrayList<>();
        for (String compiler : COMPILERS) {
            if (succeeds(
                    List.of(compiler, "-O2", "-o", folder.resolve("gpu_check").toString(), source.toString(), "-ldl"),
                    folder,
                    complaints)) {
                return compiler;
            }
        }
        if (complaints.isEmpty()) {
            throw new SkippedCheck("no C compiler: tried=" + COMPILERS);
        }
        throw new IllegalStateException("the program in C cannot be compiled: compiler says=" + complaints.getFirst());
    }

    private static boolean succeeds(List<String> command, Path folder, List<String> complaints) throws IOException {
        Path said = folder.resolve("compiler");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
        } catch (IOException e) {
            // That compiler is not on the path.
            return false;
        }
        CompletableFuture.delayedExecutor(LIMIT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        if (process.onExit().join().exitValue() != 0) {
            complaints.add(Files.readString(said).strip());
            return false;
        }
        return true;
    }

    /** {@return the command that has compiled it} */
    String compiler() {
        return compiler;
    }

    /** {@return the times of one round} */
    PairTimes round() {
        try {
            orders.write('\n');
            orders.flush();
            // The library may write lines of its own before.
            String line = lines.readLine();
            while (line != null && !line.startsWith(TIMES)) {
                line = lines.readLine();
            }
            if (line != null) {
                return PairTimes.of(line.substring(TIMES.length()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the program in C has ended: said=" + errors(), e);
        }
        throw new IllegalStateException("the program in C has ended: said=" + errors());
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("errors")).strip();
        } catch (IOException e) {
            return "nothing that can be read";
        }
    }

    /**
     * Ends it, which verifies the messages first.
     *
     * @throws IllegalStateException if they did not arrive as they were sent
     */
    void end() throws IOException {
        orders.close();
        int code = process.onExit().join().exitValue();
        if (code != 0) {
            throw new IllegalStateException("the program in C has failed: code=" + code + ", said=" + errors());
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        remove(folder);
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
