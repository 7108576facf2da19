package io.reactivecomm.samples.programs.world;

import java.util.List;
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
        return chosen().writesFiles();
    }

    /** As the other, with nothing more for the ranks to know. */
    public int run(Transport transport, RankProgram program, RankJvm jvm) {
        return run(transport, program, jvm, List.of());
    }

    /**
     * Runs a program on every rank: {@link SampleRanks#run}.
     *
     * @param more arguments that only the processes get which are started
     * @return the exit code
     */
    public int run(Transport transport, RankProgram program, RankJvm jvm, List<String> more) {
        return chosen().run(transport, program, jvm, more);
    }

    /** As the first, on devices. */
    public int run(Transport transport, RankProgram program, RankJvm jvm, RankDevices devices) {
        return chosen().on(devices).run(transport, program, jvm, List.of());
    }

    /** @throws ParameterException if there would be no rank */
    public void requireRanks() {
        chosen().requireSome();
    }

    private SampleRanks chosen() {
        if (command == null) {
            throw new IllegalStateException(
                    "world options are not part of a command: mixee=none; mix them into one (@Mixin)");
        }
        return new SampleRanks(command, ranks, join, RankDevices.HOST);
    }
}
