package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranks whose JVM denies native access, all of them or some: they talk over sockets, and a line says why. */
@Timeout(300)
class DeniedNativeAccessTest {

    private static final String DENIED = "--illegal-native-access=deny";
    private static final String ALLOWED = "--enable-native-access=ALL-UNNAMED";

    @Test
    void connect_nativeAccessDeniedToOneRank_usesSocketsAndSaysWhy() throws Exception {
        requireSocketsAndReason("auto", false);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"auto, true", "shm, false"})
    void connect_nativeAccessDenied_usesSocketsAndSaysWhy(String transport, boolean onBoth) throws Exception {
        requireSocketsAndReason(transport, onBoth);
    }

    private static void requireSocketsAndReason(String transport, boolean onBoth) throws Exception {
        List<String> options = List.of(DENIED, onBoth ? DENIED : ALLOWED);
        try (RankProcesses ranks = new RankProcesses(SummingRank.class, transport, options)) {
            List<List<String>> outputs = new ArrayList<>();
            for (Process rank : ranks.all()) {
                outputs.add(output(rank));
                assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(outputs).allSatisfy(lines -> assertThat(lines).contains("sum 3.0"));
            assertThat(reasons(outputs.get(0)))
                    .singleElement()
                    .asString()
                    .contains("denies native access", "pass " + ALLOWED);
            assertThat(reasons(outputs.get(1))).hasSize(onBoth ? 1 : 0);
        }
    }

    private static List<String> reasons(List<String> lines) {
        return lines.stream().filter(line -> line.contains("no shared memory")).toList();
    }

    private static List<String> output(Process rank) throws IOException {
        try (BufferedReader lines = rank.inputReader()) {
            return lines.readAllLines();
        }
    }
}
