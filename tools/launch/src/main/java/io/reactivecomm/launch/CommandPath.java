package io.reactivecomm.launch;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The lookup of a command, as a shell does it: a path as it is, a bare name in the folders of PATH. */
final class CommandPath {

    private CommandPath() {}

    /**
     * Checks that a command can be run, so that it fails once and in words instead of once a rank.
     *
     * @param path the value of PATH
     * @throws LaunchException if there is no such command, or only a file that cannot be executed
     */
    static void requireRunnable(String command, String path) {
        try {
            List<Path> files =
                    candidates(command, path).filter(Files::isRegularFile).toList();
            if (files.isEmpty()) {
                throw notFound(command);
            }
            if (files.stream().noneMatch(Files::isExecutable)) {
                throw new LaunchException(
                        LaunchException.NOT_EXECUTABLE,
                        "command cannot be executed: command=" + command + ", file=" + files.getFirst()
                                + "; make it executable (chmod +x), or name its interpreter");
            }
        } catch (InvalidPathException e) {
            throw notFound(command);
        }
    }

    private static Stream<Path> candidates(String command, String path) {
        return command.contains(File.separator)
                ? Stream.of(Path.of(command))
                : Stream.of(path.split(File.pathSeparator)).flatMap(folder -> in(folder, command));
    }

    /** {@return the file in that folder; none if the folder's name is no path in this locale, which hides no other folder} */
    private static Stream<Path> in(String folder, String command) {
        try {
            return Stream.of(Path.of(folder, command));
        } catch (InvalidPathException e) {
            return Stream.empty();
        }
    }

    private static LaunchException notFound(String command) {
        return new LaunchException(
                LaunchException.NOT_FOUND,
                "command not found: command=" + command + "; check the spelling, or give its path");
    }
}
