package io.reactivecomm.rcomm.peers;

import io.reactivecomm.samples.programs.world.Names;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The TCP congestion control that peers run under. Ours ask for reno on loopback, socket by socket; the peers cannot, so that a machine
 * whose default is bbr throttles them two- to fourfold.
 */
public enum Congestion {
    /** The machine's own. */
    STOCK,
    /** A private network namespace, with a loopback of its own, whose default is reno. */
    RENO;

    private static final String IN_NAMESPACE = """
            ip link set lo up && echo reno >/proc/sys/net/ipv4/tcp_congestion_control && exec "$@"
            """;

    /** {@return the command that runs a command so} */
    List<String> around(List<String> command) {
        return switch (this) {
            case STOCK -> command;
            case RENO ->
                Stream.concat(Stream.of("unshare", "-n", "sh", "-c", IN_NAMESPACE, "sh"), command.stream())
                        .toList();
        };
    }

    /** {@return why commands cannot be run so here, if they cannot} */
    public Optional<String> obstacle(Path scratch) {
        if (this == STOCK) {
            return Optional.empty();
        }
        Probe.Answer answer = Probe.ask(around(List.of("true")), scratch);
        return answer.succeeded()
                ? Optional.empty()
                : Optional.of("cannot make a network namespace with another congestion control: congestion=" + this
                        + ", answer=" + answer.lastLine()
                        + "; run as root where unshare and ip are installed, or leave out --congestion");
    }

    /** {@return the name that a peer over TCP is shown with} */
    public String nameOf(PeerKind peer) {
        return this == RENO && peer.isOverTcp() ? peer + "-reno" : peer.toString();
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
