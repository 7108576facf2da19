package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A ratchet for plain English: the number of markers of a dialect in comments, string literals, pages and build files, against the committed numbers
 * of each module in {@code docs/words.txt}, which may only fall.
 *
 * <p>A module has two numbers: its markers, and its files with more than {@value #PER_10_000} markers per 10,000 words. A new file with many markers
 * raises the second number, even if other files lost markers in the same change. Numbers below those of the file pass, so that two changes may lower them at
 * once: copy {@code target/words.txt}, which the test writes, now and then.
 */
class WordsTest {

    private static final Path HOUSE = Path.of("..", "..");

    /** The file with the markers, and a line for each module. */
    private static final Path LIST = HOUSE.resolve("docs").resolve("words.txt");

    private static final String MARKERS = "markers: ";

    private static final int PER_10_000 = 10;

    private static final int MOST_PLACES = 10;

    /** The hidden folders that are the project's. */
    private static final Set<String> HIDDEN = Set.of(".ci", ".mvn", ".github");

    private static final Set<String> CODE = Set.of("java", "c", "h", "cu");

    private static final Set<String> BUILD = Set.of("xml", "yml", "rcomm", "find-jdk", "args");

    /** Comments and literals; also literals of one character, since one may be a quotation mark. The lookahead makes it three times as fast. */
    private static final Pattern TEXT = Pattern.compile(
            "(?=[/\"'])(?://[^\n]*+|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:[^\"\\\\\n]++|\\\\.)*+\"|'(?:[^'\\\\\n]|\\\\[^'\n]+|\\\\')')",
            Pattern.DOTALL);

    private static final Pattern WORD = Pattern.compile("[A-Za-z]+");

    /** The words of a file. @param places of its markers, as {@code path:line: marker} */
    private record Prose(String module, FileTime changed, long words, List<String> places) {

        boolean exceeds() {
            return places.size() * 10_000L > PER_10_000 * words;
        }
    }

    /** The two numbers of a module. */
    private record Tally(long markers, long files) {

        static final Tally NONE = new Tally(0, 0);

        static Tally of(List<Prose> files) {
            return new Tally(
                    files.stream().mapToLong(file -> file.places.size()).sum(),
                    files.stream().filter(Prose::exceeds).count());
        }

        boolean isAbove(Tally other) {
            return markers > other.markers || files > other.files;
        }
    }

    @Test
    void markers_ofEachModule_haveNotRisen() throws IOException {
        Pattern markers = markers();
        SortedMap<String, List<Prose>> files = files().stream()
                .map(file -> prose(file, markers))
                .collect(Collectors.groupingBy(Prose::module, TreeMap::new, Collectors.toList()));
        SortedMap<String, Tally> tallies = new TreeMap<>();
        files.forEach((module, each) -> tallies.put(module, Tally.of(each)));
        Files.createDirectories(Path.of("target"));
        Files.write(
                Path.of("target", "words.txt"),
                Stream.concat(head(), tallies.entrySet().stream().map(each -> line(each.getKey(), each.getValue())))
                        .toList());

        SortedMap<String, Tally> committed = committed();
        Set<String> modules = new TreeSet<>(committed.keySet());
        modules.addAll(tallies.keySet());
        List<String> faults = new ArrayList<>();
        for (String module : modules) {
            Tally now = tallies.getOrDefault(module, Tally.NONE);
            Tally before = committed.getOrDefault(module, Tally.NONE);
            if (now.isAbove(before)) {
                faults.add(line(module, before) + " has risen to " + line(module, now)
                        + "; rewrite some of these places:\n" + newestPlaces(files.get(module)));
            }
        }
        assertThat(String.join("\n", faults)).as("words.txt").isEmpty();
    }

    /** {@return places in the files that changed last} */
    private static String newestPlaces(List<Prose> files) {
        return files.stream()
                .sorted(Comparator.comparing(Prose::changed).reversed())
                .flatMap(file -> file.places.stream())
                .limit(MOST_PLACES)
                .collect(Collectors.joining("\n"));
    }

    private static String line(String module, Tally tally) {
        return module + " " + tally.markers + " " + tally.files;
    }

    private static Stream<String> head() throws IOException {
        return Files.readAllLines(LIST).stream().filter(line -> line.startsWith("#") || line.startsWith(MARKERS));
    }

    private static Pattern markers() throws IOException {
        String list = head().filter(line -> line.startsWith(MARKERS))
                .collect(Collectors.joining())
                .substring(MARKERS.length());
        // A marker may continue on the next line of a comment.
        String any = list.replace(", ", "|").replace(" ", "[\\s*/#]+");
        return Pattern.compile("\\b(?:" + any + ")\\b", Pattern.CASE_INSENSITIVE);
    }

    private static SortedMap<String, Tally> committed() throws IOException {
        SortedMap<String, Tally> tallies = new TreeMap<>();
        Set<String> head = head().collect(Collectors.toSet());
        for (String line : Files.readAllLines(LIST)) {
            if (!head.contains(line)) {
                String[] parts = line.split(" ");
                tallies.put(parts[0], new Tally(Long.parseLong(parts[1]), Long.parseLong(parts[2])));
            }
        }
        return tallies;
    }

    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(HOUSE, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean isLeftOut =
                        name.equals("target") || name.startsWith(".") && !name.equals("..") && !HIDDEN.contains(name);
                return isLeftOut ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            /** One that another module's tests have removed meanwhile. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (!module(file).isEmpty()) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    /** {@return the module that a file counts for, "docs" or "build"; empty if its words are not counted} */
    private static String module(Path file) {
        String path = HOUSE.relativize(file).toString();
        String kind = kind(path);
        if (kind.equals("md")) {
            return "docs";
        }
        if (BUILD.contains(kind) || path.startsWith(".ci/")) {
            return "build";
        }
        return CODE.contains(kind) && path.contains("/src/") ? path.substring(0, path.indexOf("/src/")) : "";
    }

    private static String kind(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static Prose prose(Path file, Pattern markers) {
        try {
            String path = HOUSE.relativize(file).toString();
            String content = Files.readString(file);
            String text = CODE.contains(kind(path)) ? textOf(content) : content;
            List<String> places = markers.matcher(text)
                    .results()
                    .map(match -> path + ":" + lineOf(match, text) + ": " + match.group())
                    .toList();
            long words = WORD.matcher(text).results().count();
            return new Prose(module(file), Files.getLastModifiedTime(file), words, places);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read: file=" + file, e);
        }
    }

    /** {@return comments and literals, at the lines where they are} */
    private static String textOf(String code) {
        StringBuilder text = new StringBuilder();
        int[] end = {0};
        TEXT.matcher(code).results().forEach(match -> {
            code.substring(end[0], match.start())
                    .chars()
                    .filter(each -> each == '\n')
                    .forEach(each -> text.append('\n'));
            text.append(' ').append(match.group());
            end[0] = match.end();
        });
        return text.toString();
    }

    private static long lineOf(MatchResult match, String text) {
        return 1
                + text.substring(0, match.start())
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
    }

    @Test
    void textOf_code_hasCommentsAndLiteralsOnly() {
        String code = """
                int code = '"'; // first
                String text = "second \\" third";
                /* fourth
                 * fifth */ int more;
                """;
        assertThat(textOf(code)
                        .lines()
                        .map(line -> line.replaceAll("[^a-z]+", " ").strip()))
                .containsExactly("first", "second third", "fourth", "fifth");
    }
}
