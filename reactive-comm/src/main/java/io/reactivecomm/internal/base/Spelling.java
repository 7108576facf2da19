package io.reactivecomm.internal.base;

import java.util.Comparator;
import java.util.List;

/** The distance of two words by their letters, with which errors name the word that was probably meant. */
public final class Spelling {

    private Spelling() {}

    /** {@return the first of the nearest words} */
    public static String nearest(String word, List<String> words) {
        return words.stream()
                .min(Comparator.comparingInt(each -> distance(word, each)))
                .orElseThrow();
    }

    /** {@return how many letters have to be added, removed or replaced: Levenshtein's distance, by the rows of its table} */
    public static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            row[column] = column;
        }
        for (int line = 1; line <= one.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column <= other.length(); column++) {
                int above = row[column];
                int exchanged = diagonal + (one.charAt(line - 1) == other.charAt(column - 1) ? 0 : 1);
                row[column] = Math.min(exchanged, 1 + Math.min(above, row[column - 1]));
                diagonal = above;
            }
        }
        return row[other.length()];
    }
}
