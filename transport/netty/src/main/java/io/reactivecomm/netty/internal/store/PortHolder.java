package io.reactivecomm.netty.internal.store;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the process that listens on a port, where the system shows it: Linux, and a process of the same user. */
final class PortHolder {

    /** The column of the state in {@code /proc/net/tcp}, its value for listening, and the column of the socket's number. */
    private static final int LOCAL_COLUMN = 1;

    private static final int STATE_COLUMN = 3;
    private static final int INODE_COLUMN = 9;
    private static final String LISTENING = "0A";

    private static final int MAX_COMMAND = 120;

    private PortHolder() {}

    /** {@return the process that listens on that port, such as {@code pid 42 (java -jar x.jar)}, or null if it cannot be told} */
    static @Nullable String describe(int port) {
        return describe(Path.of("/proc"), port);
    }

    static @Nullable String describe(Path proc, int port) {
        for (String table : List.of("net/tcp", "net/tcp6")) {
            String inode = inodeOf(proc.resolve(table), port);
            if (inode != null) {
                return holderOf(proc, "socket:[" + inode + "]");
            }
        }
        return null;
    }

    private static @Nullable String inodeOf(Path table, int port) {
        String suffix = ":" + HexFormat.of().withUpperCase().toHexDigits((short) port);
        try {
            for (String line : Files.readAllLines(table)) {
                String[] columns = line.trim().split("\\s+");
                boolean listens = columns.length > INODE_COLUMN
                        && columns[LOCAL_COLUMN].endsWith(suffix)
                        && columns[STATE_COLUMN].equals(LISTENING);
                if (listens) {
                    return columns[INODE_COLUMN];
                }
            }
        } catch (IOException e) {
            // Not Linux: the message does without.
        }
        return null;
    }

    private static @Nullable String holderOf(Path proc, String socket) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path process : processes) {
                if (holds(process, socket)) {
                    return "pid " + process.getFileName() + " (" + commandOf(process) + ")";
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // As above.
        }
        return null;
    }

    private static boolean holds(Path process, String socket) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (isLinkTo(file, socket)) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Another user's process, or one that has just ended.
        }
        return false;
    }

    private static boolean isLinkTo(Path file, String target) {
        try {
            return Files.readSymbolicLink(file).toString().equals(target);
        } catch (IOException e) {
            return false;
        }
    }

    private static String commandOf(Path process) {
        try {
            String command = Files.readString(process.resolve("cmdline"))
                    .replace('\0', ' ')
                    .trim();
            return command.length() > MAX_COMMAND ? command.substring(0, MAX_COMMAND) + "…" : command;
        } catch (IOException e) {
            return "unknown";
        }
    }
}
