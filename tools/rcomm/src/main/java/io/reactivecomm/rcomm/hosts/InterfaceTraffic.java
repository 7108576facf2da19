package io.reactivecomm.rcomm.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The traffic of a host: what its interface counted.
 *
 * @param sent bytes, with headers of packets
 * @param received likewise
 * @param dropped packets that did not fit into its queues
 */
record InterfaceTraffic(long sent, long received, long dropped) {

    private static final int RECEIVED = 0;
    private static final int RECEIVE_DROPPED = 3;
    private static final int SENT = 8;
    private static final int SEND_DROPPED = 11;

    /** {@return the traffic of the namespace in which that process is} */
    static InterfaceTraffic of(long process) throws IOException {
        return parse(Files.readString(Path.of("/proc/" + process + "/net/dev")));
    }

    /** {@return what a text in the form of {@code /proc/net/dev} says of a host's interface} */
    static InterfaceTraffic parse(String table) {
        String[] columns = table.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(HostInterface.NAME + ":"))
                .map(line ->
                        line.substring(HostInterface.NAME.length() + 1).strip().split("\\s+"))
                .findFirst()
                .orElseThrow(() -> new HostsException("a host has no interface: interface=" + HostInterface.NAME));
        return new InterfaceTraffic(
                Long.parseLong(columns[SENT]),
                Long.parseLong(columns[RECEIVED]),
                Long.parseLong(columns[SEND_DROPPED]) + Long.parseLong(columns[RECEIVE_DROPPED]));
    }

    /** {@return what came after that} */
    InterfaceTraffic since(InterfaceTraffic earlier) {
        return new InterfaceTraffic(sent - earlier.sent, received - earlier.received, dropped - earlier.dropped);
    }

    /** {@return the line about a host} */
    String line(int host) {
        return "host " + host + ": sent " + sent + " bytes, received " + received
                + (dropped == 0 ? "" : ", dropped " + dropped + " packets");
    }
}
