package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A network of namespaces, one for each rank and one with the bridge between them, all with names of their own, so that nothing of the
 * machine's network is touched. It needs root, and a kernel with veth, bridges, bpf filters and tbf.
 *
 * <pre>
 *   rank 0 eth ──── p0 ┐
 *   rank 1 eth ──── p1 ┼ bridge
 *   rank 2 eth ──── p2 ┘    ↑ faults strike at the victim's port
 * </pre>
 *
 * <p><b>Threads.</b> One at a time.
 */
final class NamespaceNetwork implements AutoCloseable {

    private static final String SUBNET = "10.77.0.";
    private static final String VICTIM_PORT = "p" + RankPlan.VICTIM;

    /** Returns 2, which drops the packet. */
    private static final String DROP = "1,6 0 0 2";

    /** Loads a random number and drops the packet below a tenth of 2³². */
    private static final String DROP_A_TENTH = "4,32 0 0 4294963256,37 1 0 429496729,6 0 0 2,6 0 0 0";

    private final String name =
            "rcf-" + Long.toHexString(ProcessHandle.current().pid()) + "-" + Long.toHexString(System.nanoTime());
    private final List<String> namespaces = new CopyOnWriteArrayList<>();

    /** Namespaces outlive the process that made them, unless somebody sees to it. */
    private final Thread atShutdown = new Thread(this::remove, "remove-" + name);

    /**
     * Makes one.
     *
     * @throws IOException if the machine does not have what it takes; nothing is left then
     */
    NamespaceNetwork() throws IOException {
        Runtime.getRuntime().addShutdownHook(atShutdown);
        try {
            add(hub());
            in(hub(), "link add bridge type bridge");
            in(hub(), "link set bridge up");
            for (int rank = 0; rank < RankPlan.RANKS; rank++) {
                connect(rank);
            }
            heal();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private String hub() {
        return name + "-hub";
    }

    /** {@return the namespace in which that rank lives} */
    String namespace(int rank) {
        return name + "-" + rank;
    }

    /** {@return that rank's address} */
    static String address(int rank) {
        return SUBNET + (rank + 1);
    }

    private void add(String namespace) throws IOException {
        Command.run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
    }

    private static void in(String namespace, String command) throws IOException {
        List<String> words = new ArrayList<>(List.of("ip", "-n", namespace));
        Collections.addAll(words, command.split(" "));
        Command.run(words.toArray(String[]::new));
    }

    private void connect(int rank) throws IOException {
        String there = namespace(rank);
        add(there);
        in(hub(), "link add p" + rank + " type veth peer name eth netns " + there);
        in(hub(), "link set p" + rank + " master bridge up");
        in(there, "link set lo up");
        in(there, "addr add " + address(rank) + "/24 dev eth");
        in(there, "link set eth up");
    }

    /** Lets nothing through to the victim or from it. */
    void cut() throws IOException {
        filter(DROP);
    }

    /** Loses a tenth of what goes to the victim and of what comes from it. */
    void lose() throws IOException {
        filter(DROP_A_TENTH);
    }

    private void filter(String program) throws IOException {
        for (String direction : List.of("egress", "ingress")) {
            Command.run(
                    "tc",
                    "-n",
                    hub(),
                    "filter",
                    "add",
                    "dev",
                    VICTIM_PORT,
                    direction,
                    "bpf",
                    "da",
                    "bytecode",
                    program);
        }
    }

    /** Slows down what goes to the victim and what comes from it. */
    void slow() throws IOException {
        shape(hub(), VICTIM_PORT);
        shape(namespace(RankPlan.VICTIM), "eth");
    }

    private static void shape(String namespace, String device) throws IOException {
        Command.run(
                "tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", "rate", "200mbit", "burst", "64k",
                "latency", "50ms");
    }

    /** Makes all as it was. */
    void heal() throws IOException {
        attempt("tc", "-n", hub(), "qdisc", "del", "dev", VICTIM_PORT, "clsact");
        attempt("tc", "-n", hub(), "qdisc", "del", "dev", VICTIM_PORT, "root");
        attempt("tc", "-n", namespace(RankPlan.VICTIM), "qdisc", "del", "dev", "eth", "root");
        Command.run("tc", "-n", hub(), "qdisc", "add", "dev", VICTIM_PORT, "clsact");
    }

    /** Removes what may not be there. */
    private static void attempt(String... words) {
        try {
            Command.run(words);
        } catch (IOException e) {
            // It was not there.
        }
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atShutdown);
        } catch (IllegalStateException e) {
            // The JVM ends: it is running.
        }
    }

    private void remove() {
        namespaces.reversed().forEach(each -> attempt("ip", "netns", "del", each));
        namespaces.clear();
    }
}
