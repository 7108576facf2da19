package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.PeerAvailability;
import io.reactivecomm.rcomm.peers.PeerKind;
import io.reactivecomm.rcomm.peers.PeerRequest;
import io.reactivecomm.rcomm.peers.PeerSearch;
import io.reactivecomm.samples.programs.world.Transport;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options by which {@code rcomm perf} gets peers to measure beside ours; and the getting. */
final class PeerOptions {

    private static final int USUAL_ROUNDS = 3;

    @Option(
            names = "--peers",
            description =
                    "Also measures what is installed of torch with Gloo, Open MPI, MPICH and MPJ Express, and for all-reduce how far a"
                            + " loop in C gets, in rounds with ours, and shows their times divided by ours.")
    private boolean wanted;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description =
                    "How often each of ours and of the peers runs, in turn; medians count (default: 3 with --peers, else 1).")
    private @Nullable Integer rounds;

    @Option(
            names = "--congestion",
            paramLabel = "NAME",
            defaultValue = "stock",
            description =
                    "TCP congestion control of peers. stock: the machine's own; reno: as ours on loopback, in a network"
                            + " namespace, which takes root (default: ${DEFAULT-VALUE}).")
    private Congestion congestion = Congestion.STOCK;

    @Option(
            names = "--mpj-jars",
            paramLabel = "FOLDERS",
            defaultValue = "${env:RCOMM_MPJ_JARS:-/usr/share/mpj/lib:/usr/share/java}",
            description = "Where the jars of MPJ Express are (default: RCOMM_MPJ_JARS, or as Debian has them).")
    private String mpjJars = "";

    int rounds() {
        return rounds != null ? rounds : wanted ? USUAL_ROUNDS : 1;
    }

    boolean wanted() {
        return wanted;
    }

    /**
     * {@return these options}
     *
     * @throws IllegalArgumentException if peers cannot measure that, or not so
     */
    PeerOptions checkedFor(PerfOptions options, ScratchFolder scratch) {
        if (rounds() < 1) {
            throw new IllegalArgumentException(
                    "number of rounds is not positive: rounds=" + rounds() + "; make at least one");
        }
        if (wanted && options.type() != DType.FLOAT32) {
            throw new IllegalArgumentException(
                    "peers are measured with float32: dtype=" + options.typeName() + "; leave out --dtype, or --peers");
        }
        if (wanted) {
            congestion.obstacle(scratch.path()).ifPresent(obstacle -> {
                throw new IllegalArgumentException(obstacle);
            });
        }
        return this;
    }

    /**
     * {@return the peers that are installed and go beside one of the transports; the table says which, and which are not}
     *
     * @param counts the file of a list, or null
     */
    List<Contestant> contestants(
            PerfOptions options,
            int ranks,
            List<Transport> transports,
            @Nullable Path counts,
            ScratchFolder scratch,
            PerfTable table) {
        List<Contestant> contestants = new ArrayList<>();
        if (!wanted) {
            return contestants;
        }
        PeerRequest request = request(options, ranks, counts);
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + PeerSearch.USUAL_PATH;
        PeerSearch search = new PeerSearch(path, mpjJars, scratch.path());
        for (PeerKind peer : PeerKind.beside(transports, options.op().isOfList())) {
            if (!peer.does(request.op())) {
                continue;
            }
            switch (search.find(peer, ranks)) {
                case PeerAvailability.Installed(var program) -> {
                    PeerLibrary library = new PeerLibrary(
                            program,
                            options.op(),
                            request,
                            congestion,
                            options.timing().busy());
                    table.note(library.entrant().label() + ": " + program.version());
                    contestants.add(library);
                }
                case PeerAvailability.Missing(var missing, var reason) -> table.note(missing + ": " + reason);
            }
        }
        return contestants;
    }

    /** The sizes that ours measures, as it rounds them; what holds no element for each rank is nothing to measure. */
    private static PeerRequest request(PerfOptions options, int ranks, @Nullable Path counts) {
        PerfOp op = options.op();
        List<Long> sizes = op.isBarrier()
                ? List.of(0L)
                : options.sizesToMeasure().stream()
                        .map(bytes -> op.elements(bytes, options.type(), ranks)
                                * options.type().byteSize())
                        .filter(bytes -> bytes > 0)
                        .distinct()
                        .toList();
        PerfOptions.Timing timing = options.timing();
        return new PeerRequest(
                op.amongPeers(), ranks, sizes, counts, timing.batches(), timing.batchTime(), timing.warmUp());
    }
}
