package io.reactivecomm.rcomm.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An installed MPICH, through shared memory.
 *
 * @param programs where its programs may be
 * @param scratch for the measuring program
 */
record Mpich(SearchPath programs, Path scratch) {

    /** It spins without yielding, and collapses where there are fewer cores than ranks: what is measured then is the scheduler. */
    private static final int MOST_RANKS = 2;

    private static final List<String> LAUNCHERS = List.of("mpiexec.hydra", "mpiexec.mpich");
    private static final List<String> COMPILERS = List.of("mpicc.mpich", "mpicc");

    PeerAvailability find(int ranks) {
        if (ranks > MOST_RANKS) {
            return missing("left out: it spins without yielding, so that only " + MOST_RANKS
                    + " ranks are measured, and not " + ranks);
        }
        Optional<Path> launcher = LAUNCHERS.stream().flatMap(programs::programs).findFirst();
        Optional<Path> compiler = COMPILERS.stream()
                .flatMap(programs::programs)
                .filter(program -> ask(program, "-v").text().contains("MPICH"))
                .findFirst();
        if (launcher.isEmpty() || compiler.isEmpty()) {
            String what = launcher.isEmpty() ? "no mpiexec.hydra" : "no mpicc says that it is MPICH";
            return missing("not installed: " + what + " (Debian: mpich, libmpich-dev)");
        }
        CompiledBench.Result bench = CompiledBench.of(compiler.get(), CompiledBench.MPI, "peer_bench_mpich", scratch);
        return bench.complaint().isEmpty() ? installed(launcher.get(), bench.program()) : missing(bench.complaint());
    }

    private PeerAvailability installed(Path launcher, Path bench) {
        String version = ask(launcher, "--version")
                .text()
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("Version:"))
                .findFirst()
                .map(line -> "MPICH " + line.substring("Version:".length()).strip())
                .orElse("MPICH");
        return new PeerAvailability.Installed(new PeerProgram(
                PeerKind.MPICH,
                version,
                request -> List.of(launcher.toString(), "-n", Integer.toString(request.ranks()), bench.toString()),
                Map.of("OMP_NUM_THREADS", "1")));
    }

    private Probe.Answer ask(Path program, String question) {
        return Probe.ask(List.of(program.toString(), question), scratch);
    }

    private static PeerAvailability missing(String reason) {
        return new PeerAvailability.Missing(PeerKind.MPICH, reason);
    }
}
