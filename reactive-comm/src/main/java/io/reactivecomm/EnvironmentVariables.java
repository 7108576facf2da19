package io.reactivecomm;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** Typed values of environment variables, without blanks and line ends around them, read with errors that name the variable. */
record EnvironmentVariables(Map<String, String> environment) {

    EnvironmentVariables {
        environment = ConfigFile.settings(environment);
    }

    int required(String name) {
        if (!environment.containsKey(name)) {
            throw new RendezvousException("an environment variable is missing: variable=" + name
                    + ForeignLauncher.remedy(environment)
                            .orElse(
                                    "; start the program with `rcomm run -n N -- COMMAND`, torchrun, mpirun or srun, or set RANK, WORLD_SIZE,"
                                            + " MASTER_ADDR and MASTER_PORT"));
        }
        return number(name, 0);
    }

    int number(String name, int fallback) {
        return Math.toIntExact(number(name, fallback, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    int port(String name, int fallback) {
        int port = number(name, fallback);
        if (port < 1 || port > 65535) {
            throw new RendezvousException(
                    "port is out of range: " + name + "=" + port + "; choose one from 1 to 65535");
        }
        return port;
    }

    long bytes(String name, long fallback) {
        return number(name, fallback, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private long number(String name, long fallback, long least, long most) {
        String text = environment.get(name);
        try {
            long number = text == null ? fallback : Long.parseLong(text.strip());
            if (number < least || number > most) {
                throw new NumberFormatException("out of range");
            }
            return number;
        } catch (NumberFormatException e) {
            throw new RendezvousException(
                    "an environment variable is not a number: " + name + "=" + text + "; give a whole number", e);
        }
    }

    String text(String name, String fallback) {
        return environment.getOrDefault(name, fallback).strip();
    }

    boolean flag(String name) {
        return flag(name, false);
    }

    /** What is neither yes nor no is an error: a switch that somebody believes to be set must not be off in silence. */
    boolean flag(String name, boolean fallback) {
        return switch (text(name, "").toLowerCase(Locale.ROOT)) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            case "" -> fallback;
            default ->
                throw new RendezvousException("an environment variable is no switch: " + name + "="
                        + environment.get(name) + "; write 1 or 0");
        };
    }

    Duration millis(String name, Duration fallback) {
        return Duration.ofMillis(number(name, fallback.toMillis(), Long.MIN_VALUE, Long.MAX_VALUE));
    }

    Duration seconds(String name, Duration fallback) {
        return environment.containsKey(name) ? Duration.ofSeconds(number(name, 0)) : fallback;
    }
}
