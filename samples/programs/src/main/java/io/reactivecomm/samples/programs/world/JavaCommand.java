package io.reactivecomm.samples.programs.world;

import io.reactivecomm.spi.RankJvmOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that runs a class on this JVM's own Java, on its class path, with those of its flags that ranks inherit. */
public final class JavaCommand {

    private JavaCommand() {}

    /** {@return the command and its arguments} */
    public static List<String> of(Class<?> program, List<String> arguments, RankJvm jvm) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm.flags(RankJvmOptions.inherited().stream()));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return command;
    }
}
