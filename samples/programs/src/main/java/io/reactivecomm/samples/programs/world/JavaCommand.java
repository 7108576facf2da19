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
        List<String> command = new ArrayList<>(start(jvm));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return command;
    }

    /** {@return what such a command begins with: this JVM's own Java and flags} */
    public static List<String> start(RankJvm jvm) {
        List<String> start = new ArrayList<>();
        start.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // A JVM with other flags rejects this one's AOT cache, and says so on its output.
        start.addAll(jvm.flags(RankJvmOptions.inherited().stream().filter(flag -> !flag.startsWith("-XX:AOT"))));
        return start;
    }
}
