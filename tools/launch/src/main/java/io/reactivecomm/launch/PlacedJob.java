package io.reactivecomm.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import reactor.core.publisher.Mono;

/**
 * A number of ranks of one program on this machine, each at a place of its own, such as a network namespace that stands for a host.
 *
 * <p>Each rank finds RANK, WORLD_SIZE and RCOMM_TOKEN (256 random bits) in its environment, and what its place says: where the store is,
 * above all, which rank 0 runs. All else is as with a {@link LocalJob}, the end of ranks too.
 */
public final class PlacedJob {

    private final JobOptions options;
    private final JobOutput output;
    private final IntFunction<RankPlace> places;

    /**
     * Makes a job that is not yet started.
     *
     * @param places that of each rank; its variables are over those of the options
     */
    public PlacedJob(JobOptions options, JobOutput output, IntFunction<RankPlace> places) {
        this.options = options;
        this.output = output;
        this.places = places;
    }

    /**
     * Starts the ranks and emits the job's exit code when all have ended: 0, or that of the rank that failed first.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription starts a job of its own, with a token of its own. Cancelling ends its ranks,
     * and blocks until they have ended, for up to twice {@link JobOptions#killDelay()}.
     *
     * <p><b>Threads.</b> Signals come on a thread that may block.
     *
     * <p><b>Errors.</b> {@link LaunchException} if the command, or the first word of a prefix, cannot be run; nothing is left then. Likewise if what
     * a rank says cannot be passed on any more, as to a closed pipe or a full disk ({@link JobOutput}); the ranks have been ended then.
     */
    public Mono<Integer> run() {
        return Mono.defer(() -> {
            CommandPath.requireRunnable(options.command().getFirst(), options.path());
            String token = JobToken.random();
            return Mono.using(
                    () -> RankProcesses.start(options, output, RankProcesses.CLOCK, rank -> place(rank, token)),
                    RankProcesses::exitCode,
                    RankProcesses::close);
        });
    }

    private RankPlace place(int rank, String token) {
        RankPlace place = places.apply(rank);
        Map<String, String> variables = new HashMap<>(options.environment());
        variables.putAll(options.ofRank().apply(rank));
        variables.putAll(place.variables());
        variables.put("RANK", Integer.toString(rank));
        variables.put("WORLD_SIZE", Integer.toString(options.ranks()));
        variables.put(JobToken.VARIABLE, token);
        return new RankPlace(place.prefix(), variables);
    }
}
