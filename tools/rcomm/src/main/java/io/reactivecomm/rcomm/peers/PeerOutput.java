package io.reactivecomm.rcomm.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The output of a measuring program: its lines, among whatever the library and its launcher have to say. */
final class PeerOutput {

    private static final Pattern RESULT = Pattern.compile("result (call|in-flight|in-turn) (\\d{1,18}) (\\S+)");
    private static final String UNSUPPORTED = "unsupported ";

    /** Places in Java's stacks, and what the launcher says of the exit code. */
    private static final Pattern NO_WORDS = Pattern.compile("at [\\w.$/]+\\(|\\.\\.\\. \\d+ more|rcomm: ");

    /** One line of a table holds that much. */
    private static final int LONGEST_REASON = 160;

    private PeerOutput() {}

    /**
     * Reads what one run wrote.
     *
     * @param exitCode how it ended
     * @param out its standard output
     * @param err its standard error
     */
    static PeerResult parse(int exitCode, String out, String err) {
        List<PeerRow> rows = new ArrayList<>();
        for (String line : out.lines().toList()) {
            if (line.startsWith(UNSUPPORTED)) {
                return new PeerResult(rows, shortened("not supported: " + line.substring(UNSUPPORTED.length())));
            }
            row(line.strip()).ifPresent(rows::add);
        }
        if (exitCode != 0) {
            return new PeerResult(rows, shortened("it failed: exitCode=" + exitCode + ", " + lastWords(out, err)));
        }
        return new PeerResult(rows, rows.isEmpty() ? shortened("it wrote no result: " + lastWords(out, err)) : "");
    }

    private static Optional<PeerRow> row(String line) {
        Matcher result = RESULT.matcher(line);
        if (!result.matches()) {
            return Optional.empty();
        }
        try {
            List<Double> micros =
                    Stream.of(result.group(3).split(",")).map(Double::valueOf).toList();
            boolean isTime = micros.stream().allMatch(time -> Double.isFinite(time) && time > 0);
            return isTime
                    ? Optional.of(new PeerRow(result.group(1), Long.parseLong(result.group(2)), micros))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            // No line of ours after all.
            return Optional.empty();
        }
    }

    /** The last line of text on standard error, or else on standard output, that says something: no place in a stack, no exit code. */
    private static String lastWords(String out, String err) {
        return Stream.of(err, out)
                .flatMap(text -> text
                        .lines()
                        .map(String::strip)
                        .filter(line -> line.codePoints().anyMatch(Character::isLetter))
                        .filter(line -> !NO_WORDS.matcher(line).lookingAt())
                        .toList()
                        .reversed()
                        .stream())
                .findFirst()
                .map(line -> "last words: " + line)
                .orElse("without a word");
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON - 3) + "...";
    }
}
