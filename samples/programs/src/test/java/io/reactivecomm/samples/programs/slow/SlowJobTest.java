package io.reactivecomm.samples.programs.slow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The outputs on docs/slow-job.md: each is what the job prints, but for its figures.
 *
 * <p>{@code -Dslow.page=write} puts those of this machine there.
 */
class SlowJobTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "slow-job.md");

    private final SlowJob job = new SlowJob();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        job.close();
    }

    @Test
    void lateRank_isSeenByWhoWaitsForIt() throws IOException {
        job.withALateRank();
        requireOnPage("late rank: the log of rank 0", job.summary(0));
        requireOnPage("late rank: stragglers", job.stragglers());
    }

    @Test
    void smallCalls_areManyAndBringNothing() throws IOException {
        job.withSmallCalls();
        requireOnPage("small calls: the log of rank 0", job.summary(0));
    }

    @Test
    void heldLoop_letsItsOwnCallsWait() throws IOException {
        job.withAHeldLoop();
        requireOnPage("held loop: the log of rank 1", job.summary(1));
    }

    @Test
    void missingCall_isNamedByTheDoctor() throws IOException {
        requireOnPage("missing call: the doctor", job.withAMissingCall(folder));
    }

    /** The block behind a comment of that name says the same in other figures. */
    private static void requireOnPage(String name, String output) throws IOException {
        String page = Files.readString(PAGE);
        Matcher block = Pattern.compile("<!-- " + Pattern.quote(name) + " -->\n```text\n(.*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(block.find()).as("the page has a block: name=%s", name).isTrue();
        if (System.getProperty("slow.page", "").equals("write")) {
            Files.writeString(
                    PAGE,
                    page.substring(0, block.start(1)) + output.stripTrailing() + "\n" + page.substring(block.end(1)));
        } else {
            assertThat(withoutFigures(block.group(1))).isEqualTo(withoutFigures(output));
        }
    }

    private static String withoutFigures(String text) {
        return text.replaceAll("[\\d.]+", "0").replaceAll("[ \t]+", " ").strip();
    }
}
