package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownVariablesTest {

    private static final Path HOUSE = Path.of("").toAbsolutePath().getParent();
    private static final Pattern NAME = Pattern.compile("RCOMM_[A-Z0-9_]*[A-Z0-9]");
    private static final Set<String> KINDS = Set.of("java", "md", "xml", "html", "sh");

    @Test
    void unknownVariable_isAWarningWithTheNearestName() {
        assertThat(KnownVariables.warnings(Map.of(
                        "RCOMM_TIMEOUT_SECOND", "5", "RCOMM_TRANPSORT", "shm", "RCOMM_LANES", "2", "PATH", "/bin")))
                .containsExactly(
                        "an environment variable has no effect: RCOMM_TIMEOUT_SECOND is not known; the nearest known name is RCOMM_TIMEOUT_SECONDS",
                        "an environment variable has no effect: RCOMM_TRANPSORT is not known; the nearest known name is RCOMM_TRANSPORT");
    }

    @ParameterizedTest
    @CsvSource({
        "RCOMM_TIMEOUT, RCOMM_TIMEOUT_SECONDS",
        "RCOMM_TIMEOUT_MILLIS, RCOMM_TIMEOUT_SECONDS",
        "RCOMM_RENDEZVOUS_TIMEOUT, RCOMM_RENDEZVOUS_TIMEOUT_SECONDS",
        "RCOMM_HEARTBEAT, RCOMM_HEARTBEAT_MILLIS",
        "RCOMM_OBJECT_MB, RCOMM_OBJECT_BYTES",
        "RCOMM_HOST, RCOMM_HOST_ID",
        "RCOMM_CUDA, RCOMM_CUDA_DEVICE",
        "RCOMM_PORT, RCOMM_MASTER_PORT",
        "RCOMM_RANK, RANK",
        "RCOMM_MASTER_ADDR, MASTER_ADDR"
    })
    void unknownVariable_partOrOtherUnitOfAKnownOne_getsThatAsTheNearest(String name, String nearest) {
        assertThat(KnownVariables.warnings(Map.of(name, "5")))
                .singleElement()
                .asString()
                .endsWith("the nearest known name is " + nearest);
    }

    @Test
    void names_areInOrder_andEachOnce() {
        assertThat(KnownVariables.NAMES).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void everyNameInCodeAndDocumentation_isKnown_andNoOther() throws IOException {
        Set<String> named = new TreeSet<>();
        try (Stream<Path> files = Files.walk(HOUSE)) {
            files.filter(KnownVariablesTest::isOurs)
                    .forEach(file -> NAME.matcher(text(file)).results().forEach(match -> named.add(match.group())));
        }
        assertThat(named).containsExactlyElementsOf(KnownVariables.NAMES);
    }

    /** Tests may name what is not there; this list is not its own witness. */
    private static boolean isOurs(Path file) {
        String path = HOUSE.relativize(file).toString();
        String name = file.getFileName().toString();
        boolean isText = KINDS.contains(name.substring(name.lastIndexOf('.') + 1))
                || name.equals("rcomm")
                || path.startsWith(".mvn");
        return isText
                && Files.isRegularFile(file)
                && !path.contains("target/")
                && !path.contains("src/test/")
                && !path.startsWith(".git/")
                && !name.equals("KnownVariables.java");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (MalformedInputException e) {
            return "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
