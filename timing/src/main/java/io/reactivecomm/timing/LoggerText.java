package io.reactivecomm.timing;

import io.reactivecomm.InvalidCallException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Options of a logger in a line of text: {@code verbose;ops=all-reduce,broadcast;names=layer*}. */
final class LoggerText {

    private static final String OPERATIONS = "ops=";
    private static final String NAMES = "names=";

    private boolean isEnabled;
    private boolean isVerbose;
    private boolean isDebug;
    private boolean areAllOperations = true;
    private List<String> operations = List.of();
    private List<String> names = List.of();

    private LoggerText(boolean isEnabled) {
        this.isEnabled = isEnabled;
    }

    static CommsLoggerOptions parse(String text) {
        LoggerText read = new LoggerText(!text.isBlank());
        for (String part : text.split(";", -1)) {
            read.add(part.trim());
        }
        return read.options();
    }

    private CommsLoggerOptions options() {
        return new CommsLoggerOptions(isEnabled, isVerbose, isDebug, areAllOperations, Set.copyOf(operations), names);
    }

    private void add(String part) {
        if (part.startsWith(OPERATIONS)) {
            areAllOperations = false;
            operations = words(part, OPERATIONS);
        } else if (part.startsWith(NAMES)) {
            names = words(part, NAMES);
        } else {
            addWord(part);
        }
    }

    private void addWord(String part) {
        switch (part) {
            case "on", "1", "true", "" -> {}
            case "off", "0", "false" -> isEnabled = false;
            case "verbose" -> isVerbose = true;
            case "debug" -> isDebug = true;
            default ->
                throw new InvalidCallException(
                        "unknown part of a logger's options: part=" + part
                                + "; write some of on, off, verbose, debug, ops=all-reduce,broadcast and names=layer*, with semicolons between them");
        }
    }

    private static List<String> words(String part, String key) {
        List<String> words = Arrays.stream(part.substring(key.length()).split(",", -1))
                .map(String::trim)
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw new InvalidCallException(
                    "a logger's filter is empty: part=" + part + "; write what it lets through, or leave it out");
        }
        return words;
    }
}
