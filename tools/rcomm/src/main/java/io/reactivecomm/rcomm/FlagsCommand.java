package io.reactivecomm.rcomm;

import io.reactivecomm.samples.programs.world.JavaCommand;
import io.reactivecomm.samples.programs.world.RankJvm;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rcomm flags}. */
@Command(
        name = "flags",
        header = "Prints how a rank's JVM is started on this machine.",
        description = {
            "",
            "The line begins with the JDK that rcomm has found, and ends before the class path:"
                    + " `rcomm run -n 4 $(rcomm flags) -cp 'app.jar:lib/*' MAIN` starts four ranks of a program.",
            ""
        })
final class FlagsCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    private FlagsCommand() {}

    static CommandLine commandLine() {
        return new CommandLine(new FlagsCommand());
    }

    @Override
    public Integer call() {
        Objects.requireNonNull(spec).commandLine().getOut().println(String.join(" ", JavaCommand.start(RankJvm.FULL)));
        return 0;
    }
}
