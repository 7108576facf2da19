package io.reactivecomm.launch;

import io.reactivecomm.spi.rendezvous.Launcher;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/** A program that prints the place that its launcher gave it, and the launcher. */
final class PrintPlace {

    private static final Set<String> CONFIGURATION = Set.of("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT");

    private PrintPlace() {}

    public static void main(String[] arguments) {
        for (Launcher launcher : ServiceLoader.load(Launcher.class)) {
            launcher.translate(System.getenv()).ifPresent(translated -> {
                Map<String, String> place = new HashMap<>(translated);
                place.keySet().retainAll(CONFIGURATION);
                System.out.println(new TreeMap<>(place) + " " + launcher.name());
            });
        }
    }
}
