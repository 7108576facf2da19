package io.reactivecomm.launch;

import org.jspecify.annotations.Nullable;

/**
 * A job that could not be started, or whose ranks are no longer heard: its command is missing or cannot be run, there is no store for its ranks to
 * meet at, or what they say cannot be passed on.
 */
public final class LaunchException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What a shell exits with when a command is there but cannot be run. */
    static final int NOT_EXECUTABLE = 126;

    /** What a shell exits with when there is no such command. */
    static final int NOT_FOUND = 127;

    /** Neither: the launcher's own failure. */
    static final int FAILED = 1;

    private final int exitCode;

    LaunchException(int exitCode, String message) {
        this(exitCode, message, null);
    }

    LaunchException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** {@return what the launcher's process should exit with, as a shell would: 127, 126 or 1} */
    public int exitCode() {
        return exitCode;
    }
}
