package io.reactivecomm.rcomm.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A measuring program in C, compiled. */
final class CompiledBench {

    /** The one for libraries of MPI, to be compiled with each one's own compiler. */
    static final String MPI = "peer_bench.c";

    /** What all of them include. */
    private static final String TIMING = "bench.h";

    private CompiledBench() {}

    /**
     * {@return the program, or the compiler's complaint where there is none}
     *
     * @param sources the resource that it is made of
     * @param name of the program: one for each compiler that differs
     */
    static Result of(Path compiler, String sources, String name, Path scratch) {
        Path program = scratch.resolve(name);
        if (Files.isExecutable(program)) {
            return new Result(program, "");
        }
        PeerSearch.unpacked(TIMING, scratch);
        Path source = PeerSearch.unpacked(sources, scratch);
        Probe.Answer answer = Probe.ask(
                List.of(compiler.toString(), "-O3", "-march=native", source.toString(), "-o", program.toString()),
                scratch);
        return new Result(
                program, answer.succeeded() ? "" : "cannot be compiled: " + compiler + " says: " + answer.lastLine());
    }

    /**
     * The outcome of compiling.
     *
     * @param program where it is, if there is no complaint
     * @param complaint or empty
     */
    record Result(Path program, String complaint) {}
}
