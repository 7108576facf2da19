package io.reactivecomm;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Typed values of environment variables, without blanks and line ends around them, read with errors that name the variable. */
record EnvironmentVariables(Map<String, String> environment) {

    /** A variable that only processes of a launcher have, and the launcher's name; the innermost first. The launch module reads their other variables. */
    private static final List<Map.Entry<String, String>> LAUNCHERS = List.of(
            Map.entry("OMPI_COMM_WORLD_RANK", "Open MPI's mpirun"),
            Map.entry("PMI_RANK", "MPICH's mpiexec"),
            Map.entry("PMIX_RANK", "a launcher that speaks PMIx"),
            Map.entry("SLURM_PROCID", "Slurm's srun"),
            Map.entry("PET_NODE_RANK", "Kubeflow Trainer"),
            Map.entry("JOB_COMPLETION_INDEX", "a Kubernetes Indexed Job"),
            Map.entry("SM_CURRENT_HOST", "SageMaker"));

    EnvironmentVariables {
        environment = ConfigFile.settings(environment);
    }

    int required(String name) {
        if (!environment.containsKey(name)) {
            throw new RendezvousException("an environment variable is missing: variable=" + name + remedy());
        }
        return number(name, 0);
    }

    /** {@return what to do if the variables of this library are missing, which depends on the launcher that has started this process} */
    private String remedy() {
        return LAUNCHERS.stream()
                .filter(launcher -> environment.containsKey(launcher.getKey()))
                .findFirst()
                .map(launcher -> ", startedBy=" + launcher.getValue() + " (" + launcher.getKey()
                        + " is set); its variables are read by the module reactive-comm-launch, for ReactiveComm.connect(): add it to the"
                        + " class path, or set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT")
                .orElse(
                        "; start the program with `rcomm run -n N -- COMMAND`, torchrun, mpirun or srun, or set RANK, WORLD_SIZE,"
                                + " MASTER_ADDR and MASTER_PORT");
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
