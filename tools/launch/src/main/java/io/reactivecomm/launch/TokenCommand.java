package io.reactivecomm.launch;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rcomm token}. */
@Command(
        name = "token",
        header = "Prints a new token: 256 random bits, for RCOMM_TOKEN of all ranks of a job.",
        description = {
            "",
            "Ranks on several hosts admit each other by it, and encrypt what they send. Keep it out of argument lists and logs:"
                    + " docs/security.md shows how it reaches ranks.",
            ""
        })
public final class TokenCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    private TokenCommand() {}

    public static CommandLine commandLine() {
        return new CommandLine(new TokenCommand());
    }

    @Override
    public Integer call() {
        Objects.requireNonNull(spec).commandLine().getOut().println(JobToken.random());
        return 0;
    }
}
