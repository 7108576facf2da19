package io.reactivecomm.samples.programs.world;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that runs a class on this JVM's own Java, class path and flags. */
final class JavaCommand {

    private JavaCommand() {}

    /** {@return the command and its arguments} */
    static List<String> of(Class<?> program, List<String> arguments, RankJvm jvm) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm.flags(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(JavaCommand::fitsSecondJvm)));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return command;
    }

    /** A debugger's port can be opened once only. */
    private static boolean fitsSecondJvm(String flag) {
        return !flag.startsWith("-agentlib:jdwp") && !flag.startsWith("-Xrunjdwp");
    }
}
