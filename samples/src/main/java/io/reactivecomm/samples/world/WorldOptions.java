package io.reactivecomm.samples.world;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.launch.JobOptions;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.launch.LocalJob;
import java.util.ArrayList;
import java.util.List;
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
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "tcp",
            description = "tcp: a process for each rank; local: threads of one JVM (default: ${DEFAULT-VALUE}).")
    private Transport transport = Transport.TCP;

    @Option(
            names = "--join",
            description =
                    "Be one rank of a world that `rcomm run`, torchrun or mpirun started, instead of starting one.")
    private boolean join;

    /** {@return how the ranks are linked} */
    public Transport transport() {
        return transport;
    }

    /** {@return whether this process leaves files behind, or starts the one that does: further ranks may be on other machines} */
    public boolean writesFiles() {
        return !join || "0".equals(System.getenv("RANK"));
    }

    /**
     * Runs a program on every rank: here, in processes that run this same command, or as the one rank that this process is.
     *
     * @param jvm how the JVM of each process is set up, where processes are started
     * @return the exit code
     */
    public int run(RankProgram program, RankJvm jvm) {
        if (join) {
            LauncherWatch.begin(System.getenv());
            joinWorld(program);
            return 0;
        }
        if (ranks < 1) {
            throw new ParameterException(
                    spec().commandLine(), "number of ranks is not positive: ranks=" + ranks + "; start at least one");
        }
        return switch (transport) {
            case LOCAL -> {
                RankThreads.run(ranks, program);
                yield 0;
            }
            case TCP -> startProcesses(jvm);
        };
    }

    private static void joinWorld(RankProgram program) {
        ProcessGroup joined = ReactiveComm.connect().block();
        if (joined == null) {
            throw new CommException("joined no world: group=none; report this as a defect of the transport");
        }
        try (ProcessGroup group = joined) {
            program.run(group);
        }
    }

    /** Rank 0 speaks for all, so its lines need no label. */
    private int startProcesses(RankJvm jvm) {
        JobOptions job = JobOptions.of(ranks, sameCommandAsRank(jvm)).withEnvironment(LauncherWatch.variables());
        JobOutput output = JobOutput.standard()
                .withLabel(rank -> rank == 0 ? "" : "[" + rank + "] ")
                .withOmitted(Set.of(RankJvm.VECTORS_WARNING));
        Integer code = new LocalJob(job, output).run().block();
        return code == null ? 1 : code;
    }

    private List<String> sameCommandAsRank(RankJvm jvm) {
        List<String> arguments =
                new ArrayList<>(spec().root().commandLine().getParseResult().originalArgs());
        arguments.add("--join");
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
