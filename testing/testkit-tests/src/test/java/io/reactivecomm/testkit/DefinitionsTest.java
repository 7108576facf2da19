package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rule that the definition of a type says what the type is: it begins with a noun, and not with a question. */
class DefinitionsTest {

    /** The samples are read as text, so that it does not matter that they are built later. */
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
            "integrations/pytorch",
            "integrations/spark",
            "samples/programs",
            "samples/pytorch",
            "samples/spark",
            "tools/rcomm");

    /** An annotation, whose texts may have brackets, and the comment that gives its reason. */
    private static final String ANNOTATION =
            "@\\w+(?:\\((?:[^()\"]++|\"(?:[^\"\\\\]++|\\\\.)*+\"|\\([^()]*+\\))*+\\))?\\s*+(?://.*\\s*+)?";

    private static final String TYPE =
            "(?:" + ANNOTATION + ")*+(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*+"
                    + "(?:class|interface|record|enum)\\s+(\\w+)";

    private static final Pattern DEFINITION =
            Pattern.compile("/\\*\\*[\\s*]*+((?:(?!\\*/)[\\s\\S])*+)\\*/\\s*+" + TYPE);

    private static final Pattern QUESTION = Pattern.compile(
            "(?:What|How|Where|When|Who|Whose|Whom|Which|Why|Something|That|One that|It is|Is told)\\b.*",
            Pattern.DOTALL);

    /** Programs and tests alike, and what is measured with JMH and jcstress. */
    @ParameterizedTest
    @CsvSource({"main, 900", "test, 320", "jmh, 3", "jcstress, 3"})
    void definitions_beginWithANoun(String sources, int fewest) throws IOException {
        List<String> offenders = new ArrayList<>();
        int seen = 0;
        for (Path source : sources(sources)) {
            Matcher definition = DEFINITION.matcher(Files.readString(source));
            while (definition.find()) {
                seen++;
                if (asksInstead(definition.group(1))) {
                    offenders.add(source.getFileName() + " " + definition.group(2) + ": "
                            + definition.group(1).lines().findFirst().orElse(""));
                }
            }
        }
        assertThat(seen).as("types of src/%s with a definition", sources).isGreaterThan(fewest);
        assertThat(offenders)
                .as("definitions that do not say what a type is; begin with a noun")
                .isEmpty();
    }

    @Test
    void question_isSeen() {
        Matcher definition = DEFINITION.matcher(
                "/**\n * How an event loop waits.\n */\n@Deprecated // Too slow.\n@Named(text = \"a (b\", of = {})\npublic final class Waiting {}");
        assertThat(definition.find()).isTrue();
        assertThat(definition.group(2)).isEqualTo("Waiting");
        assertThat(asksInstead(definition.group(1))).isTrue();
        assertThat(asksInstead("The way in which an event loop waits.")).isFalse();
    }

    private static boolean asksInstead(String definition) {
        return QUESTION.matcher(definition).matches();
    }

    private static List<Path> sources(String kind) throws IOException {
        Path house = Path.of("").toAbsolutePath();
        while (!Files.exists(house.resolve("mvnw"))) {
            house = house.getParent();
        }
        List<Path> all = new ArrayList<>();
        for (String module : MODULES) {
            Path sources = house.resolve(module).resolve("src").resolve(kind);
            if (Files.exists(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
                }
            }
        }
        return all;
    }
}
