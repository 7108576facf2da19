package io.reactivecomm.rcomm.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * No library but a loop in C that moves what an all-reduce must move, with nothing around it: how far one can get on this machine.
 *
 * @param programs where a compiler may be
 * @param scratch for the program
 */
record Limit(SearchPath programs, Path scratch) {

    private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");

    PeerAvailability find(PeerKind peer) {
        Optional<Path> compiler = COMPILERS.stream().flatMap(programs::programs).findFirst();
        if (compiler.isEmpty()) {
            return new PeerAvailability.Missing(peer, "not measured: no C compiler (Debian: gcc, libc6-dev)");
        }
        CompiledBench.Result bench = CompiledBench.of(compiler.get(), "limit.c", "limit", scratch);
        return bench.complaint().isEmpty()
                ? new PeerAvailability.Installed(new PeerProgram(
                        peer, "a loop in C, no library", request -> command(bench.program(), peer, request), Map.of()))
                : new PeerAvailability.Missing(peer, bench.complaint());
    }

    private static List<String> command(Path program, PeerKind peer, PeerRequest request) {
        return List.of(
                program.toString(), peer == PeerKind.LIMIT_TCP ? "tcp" : "shm", Integer.toString(request.ranks()));
    }
}
