package io.reactivecomm.testkit.faults;

import java.util.function.Predicate;

/**
 * A rank's first error, as it said it.
 *
 * @param type the simple name of its class
 */
record FirstError(long atNanos, int rank, String type, String text) {

    /** {@return whether a line says this of that rank} */
    static Predicate<String> of(int rank) {
        return line -> line.startsWith(RunnerOutput.KNEW + " ") && parse(line).rank == rank;
    }

    static FirstError parse(String line) {
        String[] words = line.split(" ", 5);
        return new FirstError(
                Long.parseLong(words[1]), Integer.parseInt(words[2]), words[3], words.length > 4 ? words[4] : "");
    }
}
