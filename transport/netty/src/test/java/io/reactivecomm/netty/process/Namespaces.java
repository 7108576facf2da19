package io.reactivecomm.netty.process;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A network of its own: a namespace for each rank, joined by a bridge in one more. Nothing of it is in the machine's own network, and all of it goes with
 * {@link #close}.
 */
final class Namespaces implements AutoCloseable {

    private static final String DROP_ALL = "1,6 0 0 2";

    /** Classic BPF: a random number below a tenth of all, then drop, else pass. */
    private static final String DROP_A_TENTH = "4,32 0 0 4294963256,37 1 0 429496729,6 0 0 2,6 0 0 0";

    /** Of IPv4 over Ethernet: the protocol is UDP. */
    private static final String DROP_DATAGRAMS = "4,48 0 0 23,21 0 1 17,6 0 0 2,6 0 0 0";

    private final String name = "rcomm" + ProcessHandle.current().pid();
    private final List<String> made = new ArrayList<>();
    private final Thread cleaner = new Thread(this::removeAll);

    /**
     * One network, which all namespaces are on.
     *
     * @param interfaceName the interface to it in each namespace, in which %d is its rank and one
     * @param addresses of each namespace, likewise
     */
    record Network(String interfaceName, List<String> addresses) {

        static Network of(String interfaceName, String... addresses) {
            return new Network(interfaceName, List.of(addresses));
        }
    }

    Namespaces(int ranks) throws IOException, InterruptedException {
        this(ranks, Network.of("eth0", "10.77.0.%d/24"));
    }

    /** @param networks the first is the one that can be made faulty */
    Namespaces(int ranks, Network... networks) throws IOException, InterruptedException {
        Runtime.getRuntime().addShutdownHook(cleaner);
        try {
            String hub = add("hub");
            for (int number = 0; number < networks.length; number++) {
                in(hub, "ip link add " + bridge(number) + " type bridge");
                in(hub, "ip link set " + bridge(number) + " up");
            }
            for (int rank = 0; rank < ranks; rank++) {
                String of = add(Integer.toString(rank));
                in(of, "ip link set lo up");
                for (int number = 0; number < networks.length; number++) {
                    attach(of, rank, number, networks[number]);
                }
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static String bridge(int network) {
        return network == 0 ? "bridge" : "bridge" + network;
    }

    private void attach(String namespace, int rank, int number, Network network)
            throws IOException, InterruptedException {
        String hub = name + "-hub";
        String port = "port" + rank + (number == 0 ? "" : "." + number);
        String its = network.interfaceName().formatted(rank + 1);
        in(hub, "ip link add " + port + " type veth peer name " + its + " netns " + namespace);
        in(hub, "ip link set " + port + " master " + bridge(number) + " up");
        in(hub, "tc qdisc add dev " + port + " clsact");
        // No address of a link that nobody has given, and so none that is tried out for a second.
        in(namespace, "ip link set " + its + " addrgenmode none");
        for (String each : network.addresses()) {
            in(
                    namespace,
                    "ip addr add " + each.formatted(rank + 1) + " dev " + its + (each.contains(":") ? " nodad" : ""));
        }
        in(namespace, "ip link set " + its + " up");
    }

    /** Runs a command in a rank's namespace. */
    void at(int rank, String command) throws IOException, InterruptedException {
        in(name + "-" + rank, command);
    }

    /** {@return how many bytes have left a rank's namespace by that interface} */
    long sentBytes(int rank, String interfaceName) throws IOException, InterruptedException {
        return Long.parseLong(run("ip netns exec " + name + "-" + rank + " cat /sys/class/net/" + interfaceName
                + "/statistics/tx_bytes"));
    }

    /** {@return why this process can make none, or null if it can} */
    static String refusal() throws IOException, InterruptedException {
        String probe = "rcommprobe" + ProcessHandle.current().pid();
        try {
            run("ip netns add " + probe);
            run("ip netns del " + probe);
            return null;
        } catch (IllegalStateException | IOException e) {
            return "this process may not make network namespaces: " + e.getMessage();
        }
    }

    private String add(String suffix) throws IOException, InterruptedException {
        String full = name + "-" + suffix;
        run("ip netns add " + full);
        made.add(full);
        return full;
    }

    static String address(int rank) {
        return "10.77.0." + (rank + 1);
    }

    /** {@return what runs a command in a rank's namespace} */
    List<String> prefix(int rank) {
        return List.of("ip", "netns", "exec", name + "-" + rank);
    }

    private void in(String namespace, String command) throws IOException, InterruptedException {
        run("ip netns exec " + namespace + " " + command);
    }

    private void filter(int rank, String direction, String bytecode) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "ip",
                "netns",
                "exec",
                name + "-hub",
                "tc",
                "filter",
                "add",
                "dev",
                "port" + rank,
                direction,
                "bpf",
                "da",
                "bytecode"));
        command.add(bytecode);
        run(command);
    }

    /** Nothing that the rank sends arrives. */
    void muteFrom(int rank) throws IOException, InterruptedException {
        filter(rank, "ingress", DROP_ALL);
    }

    /** Nothing arrives at the rank. */
    void muteTo(int rank) throws IOException, InterruptedException {
        filter(rank, "egress", DROP_ALL);
    }

    /** Nothing arrives from or at the rank for a while. {@return for how many milliseconds at most, as the one command that did it says} */
    long blip(int rank, long millis) throws IOException, InterruptedException {
        String port = "port" + rank;
        String drop = "tc filter add dev " + port + " %s pref 7 bpf da bytecode '" + DROP_ALL + "'; ";
        String pass = "tc filter del dev " + port + " %s pref 7; ";
        String script = "date +%s%3N; " + drop.formatted("ingress") + drop.formatted("egress") + "sleep "
                + millis / 1000.0 + "; " + pass.formatted("ingress") + pass.formatted("egress") + "date +%s%3N";
        String[] times = run(List.of("ip", "netns", "exec", name + "-hub", "sh", "-c", script))
                .split("\\s+");
        return Long.parseLong(times[1]) - Long.parseLong(times[0]);
    }

    /** Nothing arrives between two ranks. */
    void cut(int one, int other) throws IOException, InterruptedException {
        filter(one, "ingress", dropTo(other));
        filter(other, "ingress", dropTo(one));
    }

    private static String dropTo(int rank) {
        return "4,32 0 0 30,21 0 1 " + (0x0a4d0000L + rank + 1) + ",6 0 0 2,6 0 0 0";
    }

    void loseATenthTo(int rank) throws IOException, InterruptedException {
        filter(rank, "egress", DROP_A_TENTH);
    }

    void loseDatagramsTo(int rank) throws IOException, InterruptedException {
        filter(rank, "egress", DROP_DATAGRAMS);
    }

    void slow(int rank) throws IOException, InterruptedException {
        in(name + "-hub", "tc qdisc add dev port" + rank + " root tbf rate 2mbit burst 16kb latency 200ms");
    }

    void heal(int rank) throws IOException, InterruptedException {
        in(name + "-hub", "tc filter del dev port" + rank + " ingress");
        in(name + "-hub", "tc filter del dev port" + rank + " egress");
    }

    private static String run(String command) throws IOException, InterruptedException {
        return run(List.of(command.split(" ")));
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        if (!process.waitFor(20, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + said.strip());
        }
        return said.strip();
    }

    @Override
    public void close() {
        removeAll();
        Runtime.getRuntime().removeShutdownHook(cleaner);
    }

    private synchronized void removeAll() {
        for (String each : List.copyOf(made)) {
            try {
                run("ip netns del " + each);
                made.remove(each);
            } catch (IOException | IllegalStateException e) {
                System.err.println("a namespace is left behind: " + each + ", " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
