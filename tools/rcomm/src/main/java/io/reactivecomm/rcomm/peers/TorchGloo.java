package io.reactivecomm.rcomm.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * torch.distributed with Gloo, in whichever python has it: a machine often has several, and the first on the PATH need not be the one.
 *
 * @param programs where a python may be
 * @param scratch for the measuring program, and for the files through which ranks meet
 */
record TorchGloo(SearchPath programs, Path scratch) {

    private static final String QUESTION = """
            import torch, torch.distributed as d
            assert d.is_available() and getattr(d, 'is_gloo_available', d.is_available)()
            print('torch', torch.__version__)
            """;

    /** One thread a rank, as the others have; and Gloo must not look for this host's name in the network. */
    private static final Map<String, String> ENVIRONMENT = Map.of("OMP_NUM_THREADS", "1", "GLOO_SOCKET_IFNAME", "lo");

    PeerAvailability find() {
        return programs.programs("python3")
                .flatMap(python -> installed(python).stream())
                .findFirst()
                .orElseGet(() -> new PeerAvailability.Missing(
                        PeerKind.GLOO,
                        "not installed: no python3 imports torch with Gloo (Debian: python3-torch, python3-numpy)"));
    }

    private Optional<PeerAvailability> installed(Path python) {
        Probe.Answer answer = Probe.ask(List.of(python.toString(), "-c", QUESTION), scratch);
        if (!answer.succeeded()) {
            return Optional.empty();
        }
        String script = PeerSearch.unpacked("peer_bench.py", scratch).toString();
        return Optional.of(new PeerAvailability.Installed(new PeerProgram(
                PeerKind.GLOO,
                answer.lastLine() + ", " + python,
                request -> command(python, script, request),
                ENVIRONMENT)));
    }

    /** A file for each run: ranks that meet in a used one find those of the run before. */
    private List<String> command(Path python, String script, PeerRequest request) {
        Path store = scratch.resolve("gloo-" + System.nanoTime());
        return List.of(python.toString(), script, Integer.toString(request.ranks()), store.toString());
    }
}
