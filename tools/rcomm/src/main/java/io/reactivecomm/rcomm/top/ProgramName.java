package io.reactivecomm.rcomm.top;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The name of a Java program by its process: its main class without the package, or its jar, and its command if it has one. */
final class ProgramName {

    /** Options of {@code java} whose value is an argument of its own. */
    private static final Set<String> WITH_VALUE = Set.of(
            "-cp",
            "-classpath",
            "--class-path",
            "-p",
            "--module-path",
            "--upgrade-module-path",
            "--add-modules",
            "--enable-native-access",
            "--illegal-native-access",
            "--add-reads",
            "--add-exports",
            "--add-opens",
            "--limit-modules",
            "--patch-module",
            "--source");

    /** A first argument that says what the program does. */
    private static final Pattern COMMAND = Pattern.compile("[a-z][a-z-]{0,30}");

    private ProgramName() {}

    /** {@return the name, if the process is this user's and on this machine} */
    static Optional<String> of(long pid) {
        try {
            // ProcessHandle has no arguments of a command line above 4 KiB, as one with a class path is.
            String line = Files.readString(Path.of("/proc/" + pid + "/cmdline"));
            List<String> all = List.of(line.split("\0"));
            return in(all.subList(Math.min(1, all.size()), all.size()));
        } catch (IOException e) {
            return ProcessHandle.of(pid)
                    .flatMap(process -> process.info().arguments())
                    .flatMap(arguments -> in(List.of(arguments)));
        }
    }

    /** {@return the name in the arguments of {@code java}} */
    static Optional<String> in(List<String> arguments) {
        Iterator<String> each = arguments.iterator();
        while (each.hasNext()) {
            String argument = each.next();
            boolean isJar = argument.equals("-jar");
            boolean isModule = argument.equals("-m") || argument.equals("--module");
            if ((isJar || isModule) && each.hasNext()) {
                argument = each.next();
            } else if (WITH_VALUE.contains(argument) && each.hasNext()) {
                each.next();
                continue;
            } else if (argument.startsWith("-") || argument.startsWith("@")) {
                continue;
            }
            String name = isJar ? String.valueOf(Path.of(argument).getFileName()) : simple(argument);
            String first = each.hasNext() ? each.next() : "";
            return Optional.of(COMMAND.matcher(first).matches() ? name + " " + first : name);
        }
        return Optional.empty();
    }

    private static String simple(String type) {
        return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('/')) + 1);
    }
}
