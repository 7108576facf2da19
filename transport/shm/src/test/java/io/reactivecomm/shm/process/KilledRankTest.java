package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A rank killed while others read its memory: they lose it, and no file of it is left. */
@Timeout(120)
class KilledRankTest {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private static String await(BufferedReader output, String prefix) throws IOException {
        List<String> seen = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(prefix)) {
                return line;
            }
            seen.add(line);
        }
        throw new AssertionError("a rank never said \"" + prefix + "\"; it said: " + seen);
    }

    private static Set<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(SHARED_MEMORY)) {
            return all.filter(path -> path.getFileName().toString().startsWith("reactive-comm"))
                    .collect(Collectors.toSet());
        }
    }

    /** {@return those of some files that no process has mapped} Other jobs on the machine have files, too. */
    private static List<Path> unused(Set<Path> files) {
        String maps = ProcessHandle.allProcesses()
                .map(process -> maps(Path.of("/proc", Long.toString(process.pid()), "maps")))
                .collect(Collectors.joining());
        return files.stream().filter(file -> !maps.contains(file.toString())).toList();
    }

    private static String maps(Path ofProcess) {
        try {
            return Files.readString(ofProcess);
        } catch (IOException e) {
            // It has ended, or is another user's.
            return "";
        }
    }

    @Test
    void rankKilledWhileItLends_otherLosesIt_andNoFileIsLeft() throws Exception {
        Set<Path> before = files();
        try (RankProcesses ranks = new RankProcesses(LendingRank.class, 2, "shm");
                BufferedReader survivor = ranks.rank(0).inputReader();
                BufferedReader victim = ranks.rank(1).inputReader()) {
            await(victim, "begun 3");
            ranks.rank(1).destroyForcibly();
            assertThat(await(survivor, "error"))
                    .startsWith("error PeerLostException")
                    .contains("rank=1");
            await(survivor, "closed");
            assertThat(ranks.rank(0).waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ranks.rank(0).exitValue()).isZero();
        }
        Set<Path> left = files();
        left.removeAll(before);
        assertThat(unused(left)).as("files that outlive their processes").isEmpty();
    }
}
