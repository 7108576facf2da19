package io.reactivecomm.launch.internal;

import io.reactivecomm.HostPlace;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The variables that a launcher left in the environment, read with errors that name the launcher and the variable.
 *
 * @param launcher the launcher's name for messages
 * @param variables the environment of this process
 */
public record LauncherEnvironment(String launcher, Map<String, String> variables) {

    /** Where the store listens, whatever the launcher says: for a launcher that keeps MASTER_PORT to itself. */
    public static final String STORE_PORT = "RCOMM_MASTER_PORT";

    boolean has(String name) {
        return variables.containsKey(name);
    }

    /** {@return whether rank and world size stand there in plain words: then they win, for whoever set them did so later} */
    boolean isPlacedAlready() {
        return has("RANK") && has("WORLD_SIZE");
    }

    /** {@return a variable's value without blanks and line ends around it, if it is set} */
    Optional<String> text(String name) {
        return Optional.ofNullable(variables.get(name)).map(String::strip);
    }

    /** {@return the value of a variable that this launcher always sets} */
    String required(String name) {
        return text(name)
                .orElseThrow(() -> new RendezvousException(launcher + " left out a variable: variable=" + name
                        + "; start the program with " + launcher + " itself, or set RANK and WORLD_SIZE"));
    }

    /** {@return the first of those variables that is set; the last one always is} */
    String firstOf(String... names) {
        return List.of(names).stream()
                .flatMap(name -> text(name).stream())
                .findFirst()
                .orElseGet(() -> required(names[names.length - 1]));
    }

    /** {@return the value of a variable that holds a port, if it is set} */
    Optional<Integer> port(String name) {
        return text(name).map(text -> parse(name, text));
    }

    /** {@return where the user wants the store to listen, if that is said} */
    Optional<Integer> chosenPort() {
        return port(STORE_PORT).or(() -> port("MASTER_PORT"));
    }

    /** {@return the value of a variable that this launcher always sets, as a number from 0} */
    int number(String name) {
        return number(name, required(name));
    }

    /** {@return the value of a variable as a number from 0} */
    int number(String name, int fallback) {
        return number(name, text(name).orElse(Integer.toString(fallback)));
    }

    private int number(String name, String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new RendezvousException(
                    launcher + " left something else than a number: " + name + "=" + text + "; set RANK and WORLD_SIZE",
                    e);
        }
    }

    /**
     * {@return the host of rank 0: MASTER_ADDR, or this one if all ranks are on it, or the one that AzureML names}
     *
     * @param localSizeVariable holds the number of ranks on this host
     * @param remedy how to pass MASTER_ADDR with this launcher
     */
    String addressAmong(String size, String localSizeVariable, String remedy) {
        return text("MASTER_ADDR").orElseGet(() -> {
            String localSize = text(localSizeVariable).orElse("unknown");
            Optional<String> azureMl = text("AZ_BATCH_MASTER_NODE").or(() -> text("AZ_BATCHAI_MPI_MASTER_NODE"));
            if (!localSize.equals(size) && azureMl.isPresent()) {
                return azureMl.get().split(":", 2)[0];
            }
            if (!localSize.equals(size)) {
                throw new RendezvousException("cannot tell where rank 0 is: MASTER_ADDR is not set, ranks=" + size
                        + ", ranks on this host=" + localSize + "; " + remedy);
            }
            return StoreAddress.LOOPBACK;
        });
    }

    /** {@return all variables, with that place among them} */
    Map<String, String> place(String rank, String worldSize, String address, int port) {
        Map<String, String> place = new HashMap<>(variables);
        place.put("RANK", rank);
        place.put("WORLD_SIZE", worldSize);
        place.put("MASTER_ADDR", address);
        place.put("MASTER_PORT", Integer.toString(port));
        return Map.copyOf(place);
    }

    /**
     * {@return that environment with this process's place on its host, as the launcher says it}
     * Values of an outer launcher are removed.
     *
     * @param rankVariable holds the place on the host, if it is set
     * @param sizeVariable holds the number of processes on the host, if it is set
     */
    Map<String, String> onHost(Map<String, String> place, String rankVariable, String sizeVariable) {
        Map<String, String> placed = new HashMap<>(place);
        placed.keySet().removeAll(HostPlace.VARIABLES);
        text(rankVariable).ifPresent(rank -> placed.put("LOCAL_RANK", rank));
        text(sizeVariable).ifPresent(size -> placed.put("LOCAL_WORLD_SIZE", size));
        return Map.copyOf(placed);
    }

    private static int parse(String name, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new RendezvousException(
                    "an environment variable is not a number: " + name + "=" + text + "; give a port from 1 to 65535",
                    e);
        }
    }
}
