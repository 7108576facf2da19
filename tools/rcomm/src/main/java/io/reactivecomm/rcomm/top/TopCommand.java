package io.reactivecomm.rcomm.top;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.observability.watch.JobSnapshot;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.samples.programs.output.Terminal;
import io.reactivecomm.spi.JobBoard;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@code rcomm top}. */
@Command(
        name = "top",
        header = "Shows a job's ranks while it runs: calls a second, bandwidth, and whom they wait for.",
        synopsisHeading = "",
        customSynopsis = "Usage: rcomm top [--once] [--json] [--every SECONDS] [--rows N] [HOST:PORT]",
        description = {
            "",
            "Ranks tell this while somebody watches, and nothing else. HOST:PORT is where the job's ranks met; without it that of MASTER_ADDR and"
                    + " RCOMM_MASTER_PORT or MASTER_PORT, if they are set, or else the job of this user on this machine, if there is one: one that `rcomm run` or another"
                    + " command of rcomm has started, or whose rank 0 runs its store on loopback.",
            "The job's token comes from RCOMM_TOKEN; on loopback it is found without. RCOMM_PLAINTEXT and RCOMM_TLS are as for ranks.",
            "In a terminal the screen is written anew each time, until the job ends or Ctrl-C ends this; elsewhere a block follows the other.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the job has ended as it was watched, or --once has shown it",
            "1:it cannot be watched; or it has failed: its world did, or a rank was lost",
            "2:wrong usage, also if there are several jobs, or none, to choose from"
        })
public final class TopCommand implements Callable<Integer> {

    private static final int FAILED = 1;
    private static final double MILLIS = 1000;

    /** Of a job that is silent as a whole no rates will ever be known. */
    private static final int MOST_LOOKS_AT_ONCE = 8;

    /** What a rank of the job has to reach it; nothing else of a rank's settings is of account, nor to be read. */
    private static final List<String> PLACE = List.of(
            "MASTER_ADDR",
            "MASTER_PORT",
            "RCOMM_MASTER_PORT",
            "RCOMM_TOKEN",
            "RCOMM_TOKEN_FILE",
            "RCOMM_PLAINTEXT",
            "RCOMM_TLS");

    /** A list of jobs must come soon, whatever their ranks do. */
    private static final Duration MOST_FOR_A_NAME = Duration.ofSeconds(5);

    private static final String CLEAR = "\u001b[H\u001b[J";

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "HOST:PORT", description = "Where the job's ranks met.")
    private @Nullable String address;

    @Option(names = "--once", description = "Shows the job once, when rates are known, and ends.")
    private boolean once;

    @Option(names = "--json", description = "Writes an object for each time, on a line of its own.")
    private boolean json;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "How often, 0.1 to 10 (default: ${DEFAULT-VALUE}).")
    private double every;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "40",
            description = "Ranks to show at most, those to worry about first (default: ${DEFAULT-VALUE}).")
    private int rows;

    private TopCommand() {}

    public static CommandLine commandLine() {
        return new CommandLine(new TopCommand());
    }

    @Override
    public Integer call() {
        requireRows();
        CommConfig place = place(CommConfig.settings(System.getenv()));
        JobWatch watch = interval(JobWatch.of(place));
        TopScreen screen =
                new TopScreen(StoreAddress.hostAndPort(place.host(), place.port()), ZoneId.systemDefault(), rows);
        return once ? showOnce(watch, screen) : showOn(watch, screen);
    }

    private void requireRows() {
        if (rows < 1) {
            throw wrong("number of rows is not positive: rows=" + rows + "; show at least one");
        }
    }

    private JobWatch interval(JobWatch watch) {
        if (!(every >= 0.1 && every <= 10)) {
            throw wrong("interval is out of range: every=" + every + "; choose 0.1 to 10 seconds");
        }
        return watch.every(Duration.ofMillis(Math.round(every * MILLIS)));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(commandSpec().commandLine(), message);
    }

    private CommandSpec commandSpec() {
        return Objects.requireNonNull(spec);
    }

    private PrintWriter out() {
        return commandSpec().commandLine().getOut();
    }

    /** {@return where the job is, and what admits to it} */
    private CommConfig place(Map<String, String> environment) {
        Map<String, String> variables = new HashMap<>(environment);
        variables.keySet().removeIf(name -> !PLACE.contains(name));
        variables.put("RANK", "0");
        variables.put("WORLD_SIZE", "1");
        CommConfig known = CommConfig.fromEnvironment(variables);
        if (address != null) {
            StoreAddress given = parse(address);
            return known.withListener(given.host(), given.port());
        }
        if (environment.containsKey("MASTER_ADDR")
                || environment.containsKey("MASTER_PORT")
                || environment.containsKey("RCOMM_MASTER_PORT")) {
            return known;
        }
        StoreAddress only = onlyJob(known);
        return known.withToken(null).withListener(only.host(), only.port());
    }

    private StoreAddress parse(String text) {
        try {
            return CommConfig.of("tcp://" + text, 0, 1).store();
        } catch (RendezvousException e) {
            throw wrong("cannot read the job's address: address=" + text + "; write HOST:PORT");
        }
    }

    private StoreAddress onlyJob(CommConfig known) {
        List<StoreAddress> jobs = JobWatch.jobsHere();
        if (jobs.isEmpty()) {
            throw wrong(
                    "no job of this user is known on this machine: jobs=0; start one, or name its address and give its RCOMM_TOKEN");
        }
        if (jobs.size() > 1) {
            String all = Flux.fromIterable(jobs)
                    .flatMapSequential(job -> named(job, known))
                    .collect(Collectors.joining(", "))
                    .block();
            throw wrong("several jobs of this user run on this machine: jobs=" + all + "; name one of them");
        }
        return jobs.getFirst();
    }

    /** {@return a job's address, and its program's name if a rank answers soon} */
    private static Mono<String> named(StoreAddress job, CommConfig known) {
        return JobWatch.of(known.withToken(null).withListener(job.host(), job.port()))
                .every(JobBoard.SHORTEST_INTERVAL)
                .snapshots()
                .concatMapIterable(JobSnapshot::ranks)
                .concatMap(rank -> Mono.justOrEmpty(rank.report()))
                .next()
                .flatMap(report -> Mono.justOrEmpty(ProgramName.of(report.pid())))
                .map(name -> " (" + name + ")")
                .timeout(MOST_FOR_A_NAME, Mono.empty())
                .onErrorResume(CommException.class, error -> Mono.empty())
                .defaultIfEmpty("")
                .map(name -> StoreAddress.hostAndPort(job.host(), job.port()) + name);
    }

    private int showOnce(JobWatch watch, TopScreen screen) {
        JobSnapshot job = watch.snapshots()
                .take(MOST_LOOKS_AT_ONCE)
                .takeUntil(JobSnapshot::isComplete)
                .blockLast();
        show(Objects.requireNonNull(job), screen, false);
        return code(job);
    }

    private int showOn(JobWatch watch, TopScreen screen) {
        boolean isLive = !json && Terminal.OUT.isThere();
        JobSnapshot last =
                watch.snapshots().doOnNext(job -> show(job, screen, isLive)).blockLast();
        return code(Objects.requireNonNull(last));
    }

    private void show(JobSnapshot job, TopScreen screen, boolean isLive) {
        PrintWriter out = out();
        if (json) {
            out.println(job.toJson());
        } else {
            String lines = String.join(System.lineSeparator(), screen.lines(job));
            out.println((isLive ? CLEAR : "") + lines + (isLive ? "" : System.lineSeparator()));
        }
        out.flush();
    }

    private static int code(JobSnapshot job) {
        return job.hasFailed() ? FAILED : 0;
    }
}
