package io.reactivecomm.launch;

import java.util.Map;
import java.util.TreeMap;

/** A program that prints the place that Open MPI gave it. */
final class PrintPlace {

    private PrintPlace() {}

    public static void main(String[] arguments) {
        Map<String, String> place =
                new OpenMpiLauncher().translate(System.getenv()).orElseThrow();
        System.out.println(new TreeMap<>(place));
    }
}
