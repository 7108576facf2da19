package io.reactivecomm.samples.programs.world;

import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The right use of a command, which its own types check. */
public final class Usage {

    private Usage() {}

    /**
     * Does what reads or checks a command's options.
     *
     * @throws ParameterException for what is wrong with them, so that it is said as wrong usage
     */
    public static <T> T checked(CommandSpec command, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }
}
