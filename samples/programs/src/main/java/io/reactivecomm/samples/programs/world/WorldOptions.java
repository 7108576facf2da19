package io.reactivecomm.samples.programs.world;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.WorldProvider;
import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LocalJob;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options by which a sample gets its ranks, for every command that mixes them in; and the getting. */
public final class WorldOptions {

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--ranks",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many ranks (default: ${DEFAULT-VALUE}).")
    private int ranks;

    @Option(
            names = "--join",
            description =
                    "Be one rank of a world that `rcomm run`, torchrun or mpirun started, instead of starting one.")
    private boolean join;

    /** {@return how many ranks a world has that is started here} */
    public int ranks() {
        return ranks;
    }

    /** {@return whether this process is one rank of a world that another started} */
    public boolean joins() {
        return join;
    }

    /** {@return whether this process leaves files behind, or starts the one that does: further ranks may be on other machines} */
    public boolean writesFiles() {
        return !join || "0".equals(System.getenv("RANK"));
    }

    /** As the other, with nothing more for the ranks to know. */
    public int run(Transport transport, RankProgram program, RankJvm jvm) {
        return run(transport, program, jvm, List.of());
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
        if (join) {
            LauncherWatch.begin(System.getenv());
            joinWorld(transport, program);
            return 0;
        }
        requireRanks();
        return switch (transport) {
            case LOCAL -> {
                RankThreads.run(ranks, program);
                yield 0;
            }
            case SHM, TCP -> startProcesses(jvm, more);
        };
    }

    /** @throws ParameterException if there would be no rank */
    public void requireRanks() {
        if (ranks < 1) {
            throw new ParameterException(
                    spec().commandLine(), "number of ranks is not positive: ranks=" + ranks + "; start at least one");
        }
    }

    private void joinWorld(Transport transport, RankProgram program) {
        if (transport == Transport.LOCAL) {
            throw new ParameterException(
                    spec().commandLine(), "the ranks of a local world are threads: transport=local; leave out --join, or choose tcp");
        }
        ProcessGroup joined = ReactiveComm.connect(place().withTransport(transport.toString())).block();
        if (joined == null) {
            throw new CommException("joined no world: group=none; report this as a defect of the transport");
        }
        try (ProcessGroup group = joined) {
            program.run(group);
        }
    }

    /** {@return where the launcher's environment places this process} */
    private static CommConfig place() {
        return ServiceLoader.load(WorldProvider.class)
                .findFirst()
                .orElseThrow(() -> new CommException("no WorldProvider on the class path: provider=none; rebuild the command"))
                .discover(System.getenv());
    }

    /** Rank 0 speaks for all, so its lines need no label. */
    private int startProcesses(RankJvm jvm, List<String> more) {
        JobOptions job = JobOptions.of(ranks, sameCommandAsRank(jvm, more)).withEnvironment(LauncherWatch.variables());
        JobOutput output = JobOutput.standard()
                .withLabel(rank -> rank == 0 ? "" : "[" + rank + "] ")
                .withOmitted(Set.of(RankJvm.VECTORS_WARNING));
        Integer code = new LocalJob(job, output).run().block();
        return code == null ? 1 : code;
    }

    private List<String> sameCommandAsRank(RankJvm jvm, List<String> more) {
        List<String> arguments =
                new ArrayList<>(spec().root().commandLine().getParseResult().originalArgs());
        arguments.add("--join");
        arguments.addAll(more);
        return JavaCommand.of(spec().root().userObject().getClass(), arguments, jvm);
    }

    private CommandSpec spec() {
        if (command == null) {
            throw new IllegalStateException(
                    "world options are not part of a command: mixee=none; mix them into one (@Mixin)");
        }
        return command;
    }
}
