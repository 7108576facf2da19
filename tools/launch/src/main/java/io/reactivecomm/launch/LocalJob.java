package io.reactivecomm.launch;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.launch.internal.LauncherEnvironment;
import io.reactivecomm.spi.WorkThreads;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A number of ranks of one program on this host, and the rendezvous store at which they meet.
 *
 * <p>Each rank finds RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT, RCOMM_TOKEN (256 random bits),
 * RCOMM_MASTER_PORT and {@code RCOMM_STORE_HOSTED=1} in its environment. The store runs in this process at RCOMM_MASTER_PORT, a port that
 * the system chose and that this process holds until the job ends. MASTER_PORT is another port, which was free at the start: it belongs to the
 * program, whose rank 0 may run a store of its own there, as torch.distributed's does.
 *
 * <p>A rank that fails ends the others, after a grace in which each may say what it lost: {@link JobOptions#grace()}. Ctrl-C and any
 * other orderly end of this process end all ranks.
 *
 * <pre>{@code
 * int exitCode = new LocalJob(JobOptions.of(4, List.of("python3", "train.py")), JobOutput.standard()).run().block();
 * }</pre>
 */
public final class LocalJob {

    private static final String LOOPBACK = "127.0.0.1";
    private static final int ANY_PORT = 0;

    /** The port of the store that this process runs, and a free one for a store of the program. */
    private record Ports(int store, int program) {}

    private final JobOptions options;
    private final JobOutput output;
    private final StoreHost storeHost;
    private final Scheduler clock;

    /**
     * Makes a job that is not yet started.
     *
     * @throws LaunchException if there is no {@link StoreHost} on the class path
     */
    public LocalJob(JobOptions options, JobOutput output) {
        this(options, output, findStoreHost(LocalJob.class.getClassLoader()), RankProcesses.CLOCK);
    }

    /** As the other, with the store and the time given. */
    LocalJob(JobOptions options, JobOutput output, StoreHost storeHost, Scheduler clock) {
        this.options = options;
        this.output = output;
        this.storeHost = storeHost;
        this.clock = clock;
    }

    /**
     * Starts the ranks and emits the job's exit code when all have ended: 0, or that of the rank that failed first.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription starts a job of its own. Cancelling ends its ranks, and blocks until they
     * have ended, for up to twice {@link JobOptions#killDelay()}.
     *
     * <p><b>Threads.</b> Signals come on a thread that may block.
     *
     * <p><b>Errors.</b> {@link LaunchException} if the command cannot be run; nothing was started then, or it has been ended. Likewise if what a rank
     * says cannot be passed on any more, as to a closed pipe or a full disk ({@link JobOutput}); the ranks have been ended then.
     * {@link io.reactivecomm.RendezvousException} if RCOMM_TLS or RCOMM_PLAINTEXT cannot be read.
     */
    public Mono<Integer> run() {
        return Mono.defer(() -> {
            CommandPath.requireRunnable(options.command().getFirst(), options.path());
            String token = JobToken.random();
            return Mono.usingWhen(
                    storeHost.start(LOOPBACK, ANY_PORT, token, encryption()).publishOn(WorkThreads.shared()),
                    store -> runRanks(new Ports(store.port(), FreePort.find()), token),
                    LocalJob::close);
        });
    }

    /** {@return the rule that the ranks find in their environment} */
    private Encryption encryption() {
        Map<String, String> variables = new HashMap<>(System.getenv());
        variables.putAll(options.environment());
        return Encryption.fromEnvironment(variables);
    }

    private Mono<Integer> runRanks(Ports ports, String token) {
        return Mono.using(
                () -> RankProcesses.start(options, output, clock, rank -> placement(rank, ports, token)),
                RankProcesses::exitCode,
                RankProcesses::close);
    }

    /** Off the calling thread, which may be the one that the store itself runs on. */
    private static Mono<Void> close(HostedStore store) {
        return Mono.<Void>fromRunnable(store::close).subscribeOn(WorkThreads.shared());
    }

    private RankPlace placement(int rank, Ports ports, String token) {
        Map<String, String> variables = new HashMap<>(options.environment());
        variables.putAll(options.ofRank().apply(rank));
        variables.put("RANK", Integer.toString(rank));
        variables.put("WORLD_SIZE", Integer.toString(options.ranks()));
        variables.put("LOCAL_RANK", Integer.toString(rank));
        variables.put("LOCAL_WORLD_SIZE", Integer.toString(options.ranks()));
        variables.put("MASTER_ADDR", LOOPBACK);
        variables.put("MASTER_PORT", Integer.toString(ports.program()));
        variables.put(LauncherEnvironment.STORE_PORT, Integer.toString(ports.store()));
        variables.put(JobToken.VARIABLE, token);
        variables.put("RCOMM_STORE_HOSTED", "1");
        return new RankPlace(List.of(), variables);
    }

    /** @param classes whose providers are asked */
    static StoreHost findStoreHost(ClassLoader classes) {
        try {
            return ServiceLoader.load(StoreHost.class, classes)
                    .findFirst()
                    .orElseThrow(
                            () -> new LaunchException(
                                    LaunchException.FAILED,
                                    "no rendezvous store on the class path: storeHost=none; add reactive-comm-netty to the class path"));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new LaunchException(
                    LaunchException.FAILED,
                    "the rendezvous store on the class path cannot be loaded: cause=" + e
                            + "; use the same version of all jars of the library",
                    e);
        }
    }
}
