package io.reactivecomm.samples.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The files, headings, types, tests, settings and options that documents name are there. */
class DocumentedNamesTest {

    private static final Path ROOT = Path.of("..", "..");

    private static final List<String> MODULES = List.of(
            "reactive-comm",
            "transport/netty",
            "transport/shm",
            "engine/mpi",
            "testing/doubles",
            "engine/nccl",
            "tools/launch",
            "testing/testkit",
            "testing/simulator",
            "testing/testkit-tests",
            "compression",
            "timing",
            "integrations/micrometer",
            "tools/observability",
            "integrations/pytorch",
            "integrations/spark",
            "samples/programs",
            "samples/pytorch",
            "samples/spark",
            "tools/rcomm");

    /** Names of others, and the one that decision 7 says is gone. */
    private static final Set<String> ELSEWHERE = Set.of("Backend", "None", "FloatVectorFold");

    private static final Pattern LINK = Pattern.compile("]\\(([^)#]*)#?([^)]*)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("`(?:new )?([A-Z][a-z]\\w*)(?:\\.\\w+)*(?:[(<][^`\\n]*)?`");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum)\\s+([A-Z]\\w*)");
    private static final Pattern IMPORTED = Pattern.compile("^import [\\w.]+\\.([A-Z]\\w*);", Pattern.MULTILINE);
    private static final Pattern TEST = Pattern.compile("-Dtest=([A-Z][a-z]\\w*)");
    private static final Pattern MODULE = Pattern.compile("-pl ([\\w/-]+)");
    private static final Pattern PROFILE = Pattern.compile(" -P(\\w+)");
    private static final Pattern SETTING = Pattern.compile("RCOMM_[A-Z_]*[A-Z]");
    private static final Pattern COMMAND = Pattern.compile("rcomm [a-z]+((?: +(?:\\\\\\n *)?[^\\s`|]+)*)");
    private static final Pattern OPTION = Pattern.compile("(?<=\\s)--[a-z][a-z-]*");

    private static final Set<String> TYPES = new HashSet<>();
    private static String sources = "";

    @BeforeAll
    static void readSources() throws IOException {
        StringBuilder all = new StringBuilder();
        List<Path> files = new ArrayList<>(List.of(ROOT.resolve("pom.xml"), ROOT.resolve("rcomm")));
        for (String module : MODULES) {
            files.add(ROOT.resolve(module).resolve("pom.xml"));
            files.addAll(files(ROOT.resolve(module).resolve("src"), ".java"));
        }
        for (Path file : files) {
            String text = Files.readString(file);
            all.append(text);
            found(DECLARED, text).forEach(TYPES::add);
            found(IMPORTED, text).forEach(TYPES::add);
        }
        sources = all.toString();
    }

    static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(files(ROOT.resolve("docs"), ".md"));
        // A page of measurements tells what was so on its day.
        documents.removeIf(file -> file.getFileName().toString().matches("\\d{4}-\\d\\d-\\d\\d.*"));
        Stream.of("README.md", "CONTRIBUTING.md", "samples/programs/README.md")
                .map(ROOT::resolve)
                .forEach(documents::add);
        return documents;
    }

    @ParameterizedTest
    @MethodSource("documents")
    void links_leadSomewhere(Path document) throws IOException {
        List<String> dead = new ArrayList<>();
        for (MatchResult link :
                LINK.matcher(Files.readString(document)).results().toList()) {
            if (!link.group(1).contains("://") && !leadsSomewhere(document, link.group(1), link.group(2))) {
                dead.add(link.group());
            }
        }
        assertThat(dead).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void types_areThere(Path document) throws IOException {
        assertThat(missing(TYPE, document, name -> TYPES.contains(name) || ELSEWHERE.contains(name) || isJavas(name)))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void commands_nameWhatIsThere(Path document) throws IOException {
        assertThat(missing(TEST, document, name -> TYPES.contains(name)))
                .as("tests")
                .isEmpty();
        assertThat(missing(
                        MODULE,
                        document,
                        name -> Files.exists(ROOT.resolve(name).resolve("pom.xml"))))
                .as("modules")
                .isEmpty();
        assertThat(missing(PROFILE, document, name -> sources.contains("<id>" + name + "</id>")))
                .as("profiles")
                .isEmpty();
        assertThat(missing(
                        OPTION,
                        found(COMMAND, Files.readString(document)).collect(Collectors.joining(" ")),
                        name -> sources.contains("\"" + name + "\"")))
                .as("options")
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("documents")
    void settings_areThere(Path document) throws IOException {
        assertThat(missing(SETTING, document, name -> sources.contains(name))).isEmpty();
    }

    @Test
    void whatIsNotThere_isSeen() {
        assertThat(missing(TYPE, "`ReactiveComm`, `new Nothing<>(1)`, `NoType.of(1)`", TYPES::contains))
                .containsExactly("NoType", "Nothing");
        assertThat(found(COMMAND, "`rcomm perf all-reduce --ranks 2 \\\n    --nothing`")
                        .flatMap(words -> found(OPTION, words)))
                .containsExactly("--ranks", "--nothing");
        assertThat(leadsSomewhere(ROOT.resolve("README.md"), "docs/concepts.md", "the-words"))
                .isTrue();
        assertThat(leadsSomewhere(ROOT.resolve("README.md"), "docs/concepts.md", "no-words"))
                .isFalse();
        assertThat(leadsSomewhere(ROOT.resolve("README.md"), "docs/nothing.md", ""))
                .isFalse();
    }

    private static boolean leadsSomewhere(Path document, String path, String heading) {
        Path target = path.isEmpty() ? document : document.resolveSibling(path);
        try {
            return Files.exists(target)
                    && (heading.isEmpty()
                            || found(HEADING, Files.readString(target))
                                    .map(DocumentedNamesTest::anchor)
                                    .anyMatch(heading::equals));
        } catch (IOException e) {
            return false;
        }
    }

    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w\\- ]", "")
                .strip()
                .replace(' ', '-');
    }

    private static boolean isJavas(String name) {
        try {
            Class.forName("java.lang." + name);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Set<String> missing(Pattern names, Path document, Predicate<String> isThere) throws IOException {
        return missing(names, Files.readString(document), isThere);
    }

    private static Set<String> missing(Pattern names, String text, Predicate<String> isThere) {
        return found(names, text).filter(isThere.negate()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** {@return what a pattern's first group matches, or all of it where there is none} */
    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.groupCount() > 0 ? match.group(1) : match.group());
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }
}
