package io.reactivecomm.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(30)
class RunCommandTest {

    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine command = RunCommand.commandLine();
        command.setErr(new PrintWriter(err));
        return command.execute(arguments);
    }

    @Test
    void usage_saysHowRanksAreStartedAndEnd() {
        assertThat(RunCommand.commandLine().getUsageMessage())
                .contains("Usage: rcomm run -n N [--] COMMAND [ARGUMENT...]")
                .contains("127")
                .contains("`kill -9`");
    }

    @Test
    void run_optionsOfTheCommand_belongToIt() {
        assertThat(run("-n", "2", "sh", "-c", "exit $((40 + $WORLD_SIZE))", "-n", "x"))
                .isEqualTo(42);
    }

    @Test
    void run_afterTwoDashes_isTheCommand() {
        assertThat(run("-n", "1", "--", "sh", "-c", "exit 5")).isEqualTo(5);
    }

    @Test
    void run_noRanks_saysWhatToGive() {
        assertThat(run("-n", "0", "true")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("number of ranks is not positive: n=0; start at least one");
    }

    @Test
    void run_noCount_saysWhatIsMissing() {
        assertThat(run("true")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--ranks=N");
    }

    @Test
    void run_noCommand_saysWhatIsMissing() {
        assertThat(run("-n", "2")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("COMMAND");
    }
}
