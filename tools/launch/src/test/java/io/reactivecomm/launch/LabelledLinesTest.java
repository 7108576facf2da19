package io.reactivecomm.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LabelledLinesTest {

    private final ByteArrayOutputStream destination = new ByteArrayOutputStream();
    private final List<IOException> failures = new ArrayList<>();
    private final LabelledLines lines = new LabelledLines("[3] ", destination, Set.of(), failures::add);

    private void accept(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        lines.accept(bytes, bytes.length);
    }

    @Test
    void accept_severalLines_labelsEach() {
        accept("one\ntwo\n\n");
        assertThat(destination.toString(UTF_8)).isEqualTo("[3] one\n[3] two\n[3] \n");
    }

    @Test
    void accept_partOfLine_holdsItUntilItsEnd() {
        accept("on");
        assertThat(destination.size()).isZero();
        accept("e\nt");
        assertThat(destination.toString(UTF_8)).isEqualTo("[3] one\n");
    }

    @Test
    void end_withoutNewline_addsOne() {
        accept("one\ntwo");
        lines.end();
        assertThat(destination.toString(UTF_8)).isEqualTo("[3] one\n[3] two\n");
    }

    @Test
    void end_afterNewline_addsNothing() {
        accept("one\n");
        lines.end();
        assertThat(destination.toString(UTF_8)).isEqualTo("[3] one\n");
    }

    @Test
    void accept_characterAcrossChunks_passesItUnchanged() {
        byte[] bytes = "grüße €\n".getBytes(UTF_8);
        for (byte each : bytes) {
            lines.accept(new byte[] {each}, 1);
        }
        assertThat(destination.toString(UTF_8)).isEqualTo("[3] grüße €\n");
    }

    @Test
    void accept_notUtf8_passesTheBytes() {
        byte[] bytes = {(byte) 0xFF, (byte) 0x80, 0, '\r', '\n'};
        lines.accept(bytes, bytes.length);
        assertThat(destination.toByteArray()).endsWith(bytes).hasSize(4 + bytes.length);
    }

    @Test
    void accept_lineAtTheLimit_keepsItWhole() {
        accept("x".repeat(LabelledLines.MAX_LINE_BYTES) + "\n");
        assertThat(destination.size()).isEqualTo(4 + LabelledLines.MAX_LINE_BYTES + 1);
    }

    @Test
    void accept_lineOverTheLimit_cutsBetweenCharacters() {
        String text = "x" + "€".repeat(LabelledLines.MAX_LINE_BYTES);
        for (int from = 0; from < text.length(); from += 1000) {
            accept(text.substring(from, Math.min(text.length(), from + 1000)));
        }
        lines.end();
        String[] pieces = destination.toString(UTF_8).split("\n");
        StringBuilder joined = new StringBuilder();
        for (String piece : pieces) {
            assertThat(piece.getBytes(UTF_8).length).isLessThanOrEqualTo(4 + LabelledLines.MAX_LINE_BYTES);
            assertThat(piece).startsWith("[3] ");
            joined.append(piece, 4, piece.length());
        }
        assertThat(pieces).hasSize(4);
        assertThat(joined.toString()).isEqualTo(text);
    }

    @Test
    void accept_lineOverTheLimitThatIsNotUtf8_cutsAtTheLimit() {
        byte[] bytes = new byte[LabelledLines.MAX_LINE_BYTES + 5];
        Arrays.fill(bytes, (byte) 0x80);
        lines.accept(bytes, bytes.length);
        lines.end();
        assertThat(destination.size()).isEqualTo(bytes.length + 2 * (4 + 1));
    }

    /** Takes so many lines. */
    private static final class ClosedPipe extends OutputStream {

        private int left;
        private int refusals;

        ClosedPipe(int lines) {
            left = lines;
        }

        @Override
        public void write(int b) throws IOException {
            if (left == 0) {
                refusals++;
                throw new IOException("Broken pipe");
            }
            if (b == '\n') {
                left--;
            }
        }
    }

    private void acceptFourLines(ClosedPipe pipe, UnaryOperator<OutputStream> around) {
        LabelledLines dropped = new LabelledLines("", around.apply(pipe), Set.of(), failures::add);
        for (int line = 0; line < 4; line++) {
            dropped.accept(new byte[] {'a', '\n'}, 2);
        }
        dropped.end();
    }

    @Test
    void accept_destinationFails_isToldOnce_andDropsTheRest() {
        ClosedPipe pipe = new ClosedPipe(2);
        acceptFourLines(pipe, stream -> stream);
        assertThat(failures)
                .hasSize(1)
                .first()
                .satisfies(failure -> assertThat(failure).hasMessage("Broken pipe"));
        assertThat(pipe.refusals).isOne();
    }

    @Test
    void accept_destinationKeepsItsFailure_isToldToo() {
        ClosedPipe pipe = new ClosedPipe(2);
        acceptFourLines(pipe, PrintStream::new);
        assertThat(failures).hasSize(1);
        assertThat(pipe.refusals).isOne();
    }

    @Test
    void accept_destinationInOrder_tellsNoFailure() {
        acceptFourLines(new ClosedPipe(4), PrintStream::new);
        assertThat(failures).isEmpty();
    }
}
