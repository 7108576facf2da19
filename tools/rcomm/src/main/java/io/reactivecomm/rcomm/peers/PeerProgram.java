package io.reactivecomm.rcomm.peers;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A peer that is installed and ready to run.
 *
 * @param peer which
 * @param version what it says of itself
 * @param command what to run for a request, without the request's own arguments
 * @param environment variables for it
 */
public record PeerProgram(
        PeerKind peer, String version, Function<PeerRequest, List<String>> command, Map<String, String> environment) {

    public PeerProgram {
        environment = Map.copyOf(environment);
    }
}
