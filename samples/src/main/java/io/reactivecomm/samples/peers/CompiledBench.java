package io.reactivecomm.samples.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The measuring program in C, compiled for one MPI with that one's own compiler. */
final class CompiledBench {

    private CompiledBench() {}

    /**
     * {@return the program, or the compiler's complaint where there is none}
     *
     * @param name of the program, one for each MPI
     */
    static Result of(Path compiler, String name, Path scratch) {
        Path program = scratch.resolve(name);
        if (Files.isExecutable(program)) {
            return new Result(program, "");
        }
        Path source = PeerSearch.unpacked("peer_bench.c", scratch);
        Probe.Answer answer = Probe.ask(
                List.of(compiler.toString(), "-O3", "-march=native", source.toString(), "-o", program.toString()), scratch);
        return new Result(program, answer.succeeded() ? "" : "cannot be compiled: " + compiler + " says: " + answer.lastLine());
    }

    /**
     * What compiling gave.
     *
     * @param program where it is, if there is no complaint
     * @param complaint or empty
     */
    record Result(Path program, String complaint) {}
}
