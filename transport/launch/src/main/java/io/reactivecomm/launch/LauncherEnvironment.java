package io.reactivecomm.launch;

import io.reactivecomm.RendezvousException;
import java.util.Map;
import java.util.Optional;

/**
 * What a launcher left in the environment, read with errors that name the launcher and the variable.
 *
 * @param launcher the launcher's name for messages
 * @param variables the environment of this process
 */
record LauncherEnvironment(String launcher, Map<String, String> variables) {

    /** Where the store listens, whatever the launcher says: for a launcher that keeps MASTER_PORT to itself. */
    static final String STORE_PORT = "RCOMM_MASTER_PORT";

    boolean has(String name) {
        return variables.containsKey(name);
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(variables.get(name));
    }

    /** {@return the value of a variable that this launcher always sets} */
    String required(String name) {
        return text(name)
                .orElseThrow(() -> new RendezvousException(launcher + " left out a variable: " + name
                        + "; start the program with " + launcher + " itself, or set RANK and WORLD_SIZE"));
    }

    /** {@return the value of a variable that holds a port, if it is set} */
    Optional<Integer> port(String name) {
        return text(name).map(text -> parse(name, text));
    }

    private static int parse(String name, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new RendezvousException(
                    "an environment variable is not a number: " + name + "=" + text + "; give a port from 1 to 65535",
                    e);
        }
    }
}
