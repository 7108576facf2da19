package io.reactivecomm.rcomm.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * An installed Open MPI, through shared memory or over TCP on loopback.
 *
 * @param programs where its programs may be
 * @param scratch for the measuring program
 */
record OpenMpi(SearchPath programs, Path scratch) {

    /** Without the first two it refuses to be run by root, as in a container. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", "OMP_NUM_THREADS", "1");

    /** Both names: the second may be another MPI's, and is asked. */
    private static final List<String> LAUNCHERS = List.of("mpirun.openmpi", "mpirun");

    private static final List<String> COMPILERS = List.of("mpicc.openmpi", "mpicc");

    private static final List<String> SHARED_MEMORY = List.of("--mca", "btl", "vader,self");
    private static final List<String> TCP = List.of("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo");

    PeerAvailability find(PeerKind peer) {
        Optional<Path> launcher = first(LAUNCHERS, "--version", "Open MPI");
        Optional<Path> compiler = first(COMPILERS, "--showme:version", "Open MPI");
        if (launcher.isEmpty() || compiler.isEmpty()) {
            String what =
                    launcher.isEmpty() ? "no mpirun says that it is Open MPI" : "no mpicc says that it is Open MPI";
            return new PeerAvailability.Missing(
                    peer, "not installed: " + what + " (Debian: openmpi-bin, libopenmpi-dev)");
        }
        CompiledBench.Result bench = CompiledBench.of(compiler.get(), CompiledBench.MPI, "peer_bench_openmpi", scratch);
        if (!bench.complaint().isEmpty()) {
            return new PeerAvailability.Missing(peer, bench.complaint());
        }
        String version = ask(launcher.get(), "--version").firstLine();
        return new PeerAvailability.Installed(new PeerProgram(
                peer, version, request -> command(launcher.get(), peer, request, bench.program()), ENVIRONMENT));
    }

    private Optional<Path> first(List<String> names, String question, String answer) {
        return names.stream()
                .flatMap(programs::programs)
                .filter(program -> ask(program, question).text().contains(answer))
                .findFirst();
    }

    private Probe.Answer ask(Path program, String question) {
        return Probe.ask(List.of(program.toString(), question), ENVIRONMENT, scratch);
    }

    private static List<String> command(Path launcher, PeerKind peer, PeerRequest request, Path bench) {
        Stream<String> start = Stream.of(
                launcher.toString(),
                "--oversubscribe",
                "-np",
                Integer.toString(request.ranks()),
                "--mca",
                "pml",
                "ob1");
        List<String> links = peer == PeerKind.OPENMPI_TCP ? TCP : SHARED_MEMORY;
        return Stream.of(start, links.stream(), Stream.of(bench.toString()))
                .flatMap(part -> part)
                .toList();
    }
}
