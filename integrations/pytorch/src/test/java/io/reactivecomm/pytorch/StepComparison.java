package io.reactivecomm.pytorch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The comparison of steps with those of torch's own reducer over Gloo: a program, for an idle machine.
 *
 * <p>Arguments: ranks (2), rounds (5), steps of each kind in a round (100). For each model and round it runs Gloo, then this library over TCP and shared memory with and without overlap, each
 * in new processes with one torch thread. A row has the model, the side, the round, and of rank 0 the milliseconds of a step, those of its exposed communication, the last loss, and a hash of the parameters.
 */
final class StepComparison {

    private static final List<String> MODELS = List.of("perceptron", "convolutions", "transformer");

    private static final List<Side> SIDES = List.of(
            new Side("gloo", "tcp"),
            new Side("ours", "tcp"),
            new Side("ours", "shm"),
            new Side("ours-at-end", "tcp"),
            new Side("ours-at-end", "shm"));

    private StepComparison() {}

    /** One of the programs that are compared. */
    private record Side(String program, String transport) {}

    public static void main(String[] arguments) throws Exception {
        int ranks = argument(arguments, 0, 2);
        int rounds = argument(arguments, 1, 5);
        int steps = argument(arguments, 2, 100);
        System.out.println("model side transport ranks round stepMillis exposedMillis loss parameters");
        for (String model : MODELS) {
            for (int round = 0; round < rounds; round++) {
                for (Side side : SIDES) {
                    String times = run(side, model, ranks, steps);
                    System.out.println(
                            String.join(" ", model, side.program(), side.transport(), "" + ranks, "" + round, times));
                }
            }
        }
    }

    private static int argument(String[] arguments, int place, int usual) {
        return arguments.length > place ? Integer.parseInt(arguments[place]) : usual;
    }

    private static String run(Side side, String model, int ranks, int steps) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("steps");
        Path store = folder.resolve("store");
        try (RankJvms jvms = new RankJvms(
                StepTimes.class,
                ranks,
                side.transport(),
                List.of(side.program(), model, Integer.toString(steps), store.toString()))) {
            return jvms.output(0)
                    .lines()
                    .filter(line -> line.startsWith("RESULT "))
                    .findFirst()
                    .orElseThrow()
                    .substring("RESULT ".length());
        } finally {
            Files.deleteIfExists(store);
            Files.deleteIfExists(folder);
        }
    }
}
