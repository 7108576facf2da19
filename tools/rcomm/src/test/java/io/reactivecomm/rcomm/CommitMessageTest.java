package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script {@code .ci/commit-msg}, as a hook and over a range of commits. */
@Timeout(30)
class CommitMessageTest {

    private static final Path SCRIPT = Path.of("..", "..", ".ci", "commit-msg").toAbsolutePath();

    private static final String LONGEST = "ä".repeat(72);

    @TempDir
    private Path folder;

    /** The exit code of a run of the script, and its output. */
    private record Verdict(int code, String text) {}

    private Verdict run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes());
        return new Verdict(process.waitFor(), text.strip());
    }

    private Verdict checked(String message) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("message"), message);
        return run(List.of("bash", SCRIPT.toString(), file.toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Add a thing\n\nIt was missing.\n",
                "# a comment of git\nAdd a thing\n\nIt was missing.\n# another\n",
                "Merge branch 'x'\n",
                "fixup! Add a thing\n",
                "Add a thing\n\nIt was missing."
            })
    void message_withSubjectAndBody_isAccepted(String message) throws Exception {
        assertThat(checked(message)).isEqualTo(new Verdict(0, ""));
        assertThat(checked(LONGEST + "\n\nReason\n")).isEqualTo(new Verdict(0, ""));
    }

    @Test
    void message_withoutOne_isRefusedWithTheReason() throws Exception {
        assertThat(checked(LONGEST + "x\n\nReason\n").text())
                .isEqualTo("commit message: the subject has 73 characters; the limit is 72");
        assertThat(checked("Add a thing\n")).satisfies(verdict -> {
            assertThat(verdict.code()).isEqualTo(1);
            assertThat(verdict.text()).contains("it has no body");
        });
        assertThat(checked("Add a thing\nIt was missing.\n").text()).contains("a blank line must follow");
        assertThat(checked("Add a thing\n\n# only a comment\n").text()).contains("it has no body");
    }

    @Test
    void range_namesEachCommitThatIsWrong() throws Exception {
        List<String> git =
                List.of("git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main");
        assertThat(run(concat(git, "init", "-q")).code()).isZero();
        for (String message : List.of("First", "Second\n\nWith a reason", "Third")) {
            assertThat(run(concat(git, "commit", "-q", "--allow-empty", "--no-verify", "-m", message))
                            .code())
                    .isZero();
        }
        Verdict verdict = run(List.of("bash", SCRIPT.toString(), "--since", "HEAD~2"));

        assertThat(verdict.code()).isEqualTo(1);
        assertThat(verdict.text().lines())
                .singleElement()
                .asString()
                .endsWith(", Third: it has no body; give the reason for the change and how it was verified");
    }

    private static List<String> concat(List<String> head, String... tail) {
        return Stream.concat(head.stream(), Stream.of(tail)).toList();
    }
}
