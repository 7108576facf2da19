package io.reactivecomm.samples.programs.world;

import io.reactivecomm.ReactiveComm;
import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LocalJob;
import io.reactivecomm.samples.programs.output.Progress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The ranks of a sample's world: so many that are started here, or the one of a world that another started which this process is.
 *
 * @param command which the user gave, and which processes that are started are given again
 * @param count how many are started
 * @param joins whether this process is one rank, and starts none
 * @param devices of the ranks
 */
public record SampleRanks(CommandSpec command, int count, boolean joins, RankDevices devices) {

    /** Variables that say which rank a process is, the first that is set. */
    private static final List<String> RANKS = List.of("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK");

    /** Ranks whose tensors are in the host's memory. */
    public SampleRanks(CommandSpec command, int count, boolean joins) {
        this(command, count, joins, RankDevices.HOST);
    }

    /** {@return the same, on other devices} */
    SampleRanks on(RankDevices others) {
        return new SampleRanks(command, count, joins, others);
    }

    /** {@return whether this process leaves files behind, or starts the one that does: further ranks may be on other machines} */
    public boolean writesFiles() {
        return !joins
                || RANKS.stream()
                        .map(System::getenv)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .filter("0"::equals)
                        .isPresent();
    }

    /**
     * Runs a program on every rank: here, in processes that run this same command, or as the one rank that this process is.
     *
     * @param transport how the ranks are linked
     * @param jvm how the JVM of each process is set up, where processes are started
     * @param more arguments that only the processes get which are started
     * @return the exit code
     */
    public int run(Transport transport, RankProgram program, RankJvm jvm, List<String> more) {
        if (joins) {
            LauncherWatch.begin(System.getenv());
            joinWorld(transport, program);
            return 0;
        }
        requireSome();
        return switch (transport) {
            case LOCAL -> {
                RankThreads.run(count, program, devices);
                yield 0;
            }
            case SHM, TCP ->
                start(JobOptions.of(count, sameCommandAsRank(jvm, more))
                        .withEnvironment(variables())
                        .withRankEnvironment(devices.variables()));
            case MPI -> {
                MpiLauncher mpi = MpiLauncher.find(System.getenv());
                // One process here is all of them there.
                yield start(JobOptions.of(1, mpi.command(count, sameCommandAsRank(jvm, more)))
                        .withEnvironment(mpi.variables(variables())));
            }
        };
    }

    /** @throws ParameterException if there would be no rank */
    public void requireSome() {
        if (count < 1) {
            throw new ParameterException(
                    command.commandLine(), "number of ranks is not positive: ranks=" + count + "; start at least one");
        }
    }

    private void joinWorld(Transport transport, RankProgram program) {
        if (transport == Transport.LOCAL) {
            throw new ParameterException(
                    command.commandLine(),
                    "the ranks of a local world are threads: transport=local; leave out --join, or choose tcp");
        }
        ReactiveComm.using(ReactiveComm.connect(place -> devices.backend().apply(transport.in(place))), group -> {
            program.run(group);
            return null;
        });
    }

    /** Rank 0 speaks for all, so its lines need no label. */
    private static int start(JobOptions job) {
        JobOutput output = JobOutput.standard()
                .withLabel(rank -> rank == 0 ? "" : "[" + rank + "] ")
                .withOmitted(Set.of(RankJvm.VECTORS_WARNING));
        Integer code = new LocalJob(job, output).run().block();
        return code == null ? 1 : code;
    }

    private static Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(LauncherWatch.variables());
        variables.putAll(Progress.variables());
        return variables;
    }

    private List<String> sameCommandAsRank(RankJvm jvm, List<String> more) {
        List<String> arguments =
                new ArrayList<>(command.root().commandLine().getParseResult().originalArgs());
        arguments.add("--join");
        arguments.addAll(more);
        return JavaCommand.of(command.root().userObject().getClass(), arguments, jvm);
    }
}
