package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.PlacedJob;
import io.reactivecomm.launch.RankPlace;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * One run of {@code rcomm hosts}: a network, the ranks in it, and what went over it.
 *
 * <p>Rank 0 runs the store at its host's address. Its port is always the same, for the namespace has all ports to itself; so the ranks of
 * programs that run one after another meet there again.
 */
final class HostsRun {

    private static final String STORE_PORT = "29501";

    /** For a store that the program runs itself, such as torch.distributed's. */
    private static final String PROGRAM_PORT = "29500";

    private final HostsOptions options;
    private final PrintWriter out;
    private final JobOutput output;
    private final Duration watchInterval;

    /**
     * Makes a run that has not begun.
     *
     * @param out for what there is to say of the network
     * @param output for what the ranks say
     */
    HostsRun(HostsOptions options, PrintWriter out, JobOutput output) {
        this(options, out, output, BypassWatch.USUAL_INTERVAL);
    }

    private HostsRun(HostsOptions options, PrintWriter out, JobOutput output, Duration watchInterval) {
        this.options = options;
        this.out = out;
        this.output = output;
        this.watchInterval = watchInterval;
    }

    /** {@return a run that looks so often for memory which hosts share} */
    HostsRun withWatchEvery(Duration interval) {
        return new HostsRun(options, out, output, interval);
    }

    /**
     * {@return the exit code of the ranks}
     *
     * @throws HostsException if the network cannot be made, is bypassed, or loses a shell, or if the report cannot be written
     * @throws io.reactivecomm.launch.LaunchException if the ranks cannot be started, or what they say cannot be written
     */
    int run() {
        try (HostNetwork network = HostNetwork.make(options)) {
            if (options.wire()) {
                network.begin();
                say(WireRate.measure(network, options.rate()).line());
                network.report().forEach(this::say);
            }
            List<InterfaceTraffic> before = traffic(network);
            network.begin();
            return reporting(() -> runRanks(network.hosts()), () -> report(network, before));
        }
    }

    /** {@return what the ranks end with, after the report} That is made however they end; if it fails as they do, their failure comes first. */
    static int reporting(IntSupplier ranks, Runnable report) {
        int code;
        try {
            code = ranks.getAsInt();
        } catch (RuntimeException e) {
            new Endings(e).attempt(report);
            throw e;
        }
        report.run();
        return code;
    }

    private int runRanks(List<NetworkNamespace> hosts) {
        JobOptions job = JobOptions.of(options.placement().worldSize(), options.command());
        PlacedJob ranks = new PlacedJob(job, output, rank -> place(rank, hosts));
        Stream<Mono<Integer>> losses = hosts.stream().map(NetworkNamespace::loss);
        Stream<Mono<Integer>> others = Stream.of(new BypassWatch(hosts, watchInterval).sharing(), ranks.run());
        Integer code =
                Mono.firstWithSignal(Stream.concat(losses, others).toList()).block();
        return code == null ? 1 : code;
    }

    private RankPlace place(int rank, List<NetworkNamespace> hosts) {
        Placement placement = options.placement();
        return new RankPlace(hosts.get(placement.hostOf(rank)).prefix(), variables(placement, rank));
    }

    /** {@return what places a rank, for torch.distributed with Gloo, too} */
    static Map<String, String> variables(Placement placement, int rank) {
        return Map.of(
                "LOCAL_RANK",
                Integer.toString(placement.localRankOf(rank)),
                "LOCAL_WORLD_SIZE",
                Integer.toString(placement.ranksPerHost()),
                "MASTER_ADDR",
                HostAddress.v4(0),
                "MASTER_PORT",
                PROGRAM_PORT,
                "RCOMM_MASTER_PORT",
                STORE_PORT,
                "RCOMM_STORE_HOSTED",
                "0",
                "RCOMM_HOST_ID",
                "host-" + placement.hostOf(rank),
                "GLOO_SOCKET_IFNAME",
                HostInterface.NAME);
    }

    private static List<InterfaceTraffic> traffic(HostNetwork network) {
        return network.hosts().stream().map(NetworkNamespace::traffic).toList();
    }

    private void report(HostNetwork network, List<InterfaceTraffic> before) {
        List<InterfaceTraffic> after = traffic(network);
        for (int host = 0; host < after.size(); host++) {
            say(after.get(host).since(before.get(host)).line(host));
        }
        network.report().forEach(this::say);
    }

    private void say(String line) {
        out.println(line);
        // It flushes first.
        if (out.checkError()) {
            throw new HostsException("what there is to say of the network cannot be written: line=\"" + line
                    + "\"; check that the reader of standard output is there, or that its disk has room");
        }
    }
}
