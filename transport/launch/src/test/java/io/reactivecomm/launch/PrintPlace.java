package io.reactivecomm.launch;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A program that prints the place that Open MPI gave it. */
final class PrintPlace {

    private static final Set<String> CONFIGURATION = Set.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT");

    private PrintPlace() {}

    public static void main(String[] arguments) {
        Map<String, String> place =
                new HashMap<>(new OpenMpiLauncher().translate(System.getenv()).orElseThrow());
        place.keySet().retainAll(CONFIGURATION);
        System.out.println(new TreeMap<>(place));
    }
}
