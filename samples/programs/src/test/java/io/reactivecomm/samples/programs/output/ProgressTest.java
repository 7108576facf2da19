package io.reactivecomm.samples.programs.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The line of progress below a command's output. */
class ProgressTest {

    private static final String TAKE_AWAY = "\r\u001b[K";

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
    private final PrintStream terminal = new PrintStream(screen, true, StandardCharsets.UTF_8);
    private long now;
    private final ProgressLine line = new ProgressLine(terminal, () -> now);
    private final PrintStream out = new PrintStream(new ProgressStream(terminal, line), true, StandardCharsets.UTF_8);
    private final PrintStream err = new PrintStream(new ProgressStream(terminal, line), true, StandardCharsets.UTF_8);

    private void pass(int seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    private String shown() {
        String shown = screen.toString(StandardCharsets.UTF_8);
        screen.reset();
        return shown;
    }

    private void tell(String text) {
        err.println(Progress.MARK + text);
    }

    @Test
    void text_saysHowFarItIs_andWhatIsLeft() {
        assertThat(ProgressLine.text(
                        0.4, "epoch 4 of 10", Duration.ofSeconds(12).toNanos()))
                .isEqualTo("[########------------]  40 %  epoch 4 of 10  0:12, about 0:18 left");
        assertThat(ProgressLine.text(0, "begins", 0)).isEqualTo("[--------------------]   0 %  begins  0:00");
        assertThat(ProgressLine.text(0.5, "long", Duration.ofMinutes(90).toNanos()))
                .endsWith("1:30:00, about 1:30:00 left");
        assertThat(ProgressLine.text(Double.NaN, "x", 1)).startsWith("[--------------------]   0 %");
        assertThat(ProgressLine.text(1.5, "x".repeat(200), 1)).hasSize(79).contains("100 %", "…");
    }

    @Test
    void output_standsAboveTheLine() {
        out.println("first");
        assertThat(shown()).isEqualTo("first" + System.lineSeparator());
        pass(10);
        tell("at 1.000 2.000 half");
        String drawn = shown();
        assertThat(drawn)
                .startsWith(TAKE_AWAY + "[##########----------]  50 %  half")
                .endsWith("0:10, about 0:10 left");
        out.println("a row");
        assertThat(shown()).isEqualTo(TAKE_AWAY + "a row" + System.lineSeparator() + drawn);
        line.end();
        assertThat(shown()).isEqualTo(TAKE_AWAY);
        out.println("last");
        assertThat(shown()).isEqualTo("last" + System.lineSeparator());
    }

    @Test
    void output_thatIsNotTaken_isAnErrorOfTheStreamAboveToo() {
        assertThat(out.checkError()).isFalse();
        PrintStream closed = new PrintStream(new OutputStream() {

            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        PrintStream above = new PrintStream(new ProgressStream(closed, line), true, StandardCharsets.UTF_8);
        above.println("a row");
        assertThat(above.checkError()).isTrue();
    }

    @Test
    void output_withoutAnEnd_isNotOverwritten() {
        tell("at 1 2 half");
        shown();
        out.print("name? ");
        out.flush();
        pass(1);
        tell("at 1.5 2 more");
        assertThat(shown()).isEqualTo(TAKE_AWAY + "name? ");
        out.println("x");
        assertThat(shown()).startsWith("x").contains(TAKE_AWAY, "75 %");
    }

    @Test
    void parts_makeAWhole() {
        tell("part 1 4");
        pass(1);
        tell("at 1 2 rows");
        assertThat(shown()).contains("37 %  part 2 of 4: rows");
    }

    /** Of what comes faster than anybody reads. */
    @Test
    void line_isDrawnTenTimesASecondAtMost() {
        tell("at 1 100 x");
        shown();
        tell("at 2 100 x");
        assertThat(shown()).isEmpty();
        now += Duration.ofMillis(100).toNanos();
        tell("at 3 100 x");
        assertThat(shown()).contains("3 %");
    }

    @Test
    void line_thatMakesNoSense_isPassedOver() {
        for (String text : new String[] {"", "at", "at x y z", "part 1", "part a b", "else"}) {
            tell(text);
        }
        assertThat(shown()).isEmpty();
    }

    @Test
    void line_thatCameInPieces_isOneOfProgressStill() {
        err.print(Progress.MARK.substring(0, 4));
        err.flush();
        assertThat(shown()).isEmpty();
        err.println(Progress.MARK.substring(4) + "at 1 2 half");
        assertThat(shown()).contains("50 %");
    }

    /** The tests' own streams are no terminal. */
    @Test
    void progress_whereNobodyShowsIt_writesNothing() {
        PrintStream before = System.err;
        System.setErr(terminal);
        try {
            Progress.ofRank(0).at(1, 2, "half");
            Progress.ofCommand().part(0, 2);
            assertThat(Progress.variables()).isEmpty();
        } finally {
            System.setErr(before);
        }
        assertThat(shown()).isEmpty();
    }
}
