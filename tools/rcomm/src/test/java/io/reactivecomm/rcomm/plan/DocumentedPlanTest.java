package io.reactivecomm.rcomm.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The plans that the documents tell to make can be made, and what cannot be is refused. */
@Timeout(60)
class DocumentedPlanTest {

    private static final Pattern COMMAND = Pattern.compile("\\./rcomm\\s+plan\\s+([^`]+)`");

    private final StringWriter said = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"docs/collectives.md", "docs/algorithms.md"})
    void commands_ofTheDocuments_run(String document) throws Exception {
        Matcher commands = COMMAND.matcher(Files.readString(Path.of("..", "..", document)));
        assertThat(commands.find()).isTrue();
        do {
            assertThat(plan(commands.group(1).strip()))
                    .as("%s %s", commands.group(), said)
                    .isZero();
        } while (commands.find());
    }

    @Test
    void size_beyondCounting_isRefused() {
        for (String op : new String[] {"all-reduce", "reduce", "broadcast", "all-to-all"}) {
            assertThat(plan(op + " --ranks 4096 --bytes 9000000000000000000")).isNotZero();
            assertThat(said.toString())
                    .contains("a size is too large to calculate with: bytes=9000000000000000000, ranks=4096");
        }
    }

    @Test
    void ranks_beyondAddingUp_areRefused() {
        assertThat(plan("all-reduce --ranks 2000000000 --bytes 4")).isNotZero();
        assertThat(said.toString()).contains("ranks=2000000000, most=16384");
    }

    @Test
    void hosts_thatCannotBe_areRefused() {
        assertThat(plan("reduce --ranks 4 --hosts 4 --bytes 4")).isZero();
        assertThat(plan("reduce --ranks 4 --hosts 5")).isNotZero();
        assertThat(plan("reduce --ranks 4 --hosts 0")).isNotZero();
        assertThat(said.toString()).contains("on one each at most: hosts=5, ranks=4", "hosts=0, ranks=4");
    }

    @Test
    void size_thatIsJustCounted_hasNoNegativeNumber() {
        for (String op : new String[] {"all-reduce", "reduce", "broadcast", "all-to-all"}) {
            assertThat(plan(op + " --ranks 4096 --dtype bfloat16 --bytes " + Long.MAX_VALUE / 64 / 4096))
                    .isZero();
        }
        assertThat(said.toString()).doesNotContain(" -");
    }

    private int plan(String arguments) {
        CommandLine command = PlanCommand.commandLine();
        command.setOut(new PrintWriter(said));
        command.setErr(new PrintWriter(said));
        return command.execute(arguments.split("\\s+"));
    }
}
