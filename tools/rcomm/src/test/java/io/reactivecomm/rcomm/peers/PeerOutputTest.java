package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerOutputTest {

    @Test
    void parse_resultsAmongOtherLines_takesTheResults() {
        PeerResult result = PeerOutput.parse(0, """
                MPJ Express (0.44) is started in the multicore configuration
                result call 4 1.5,2.25,1e1
                [host:1] a warning
                  result call 1024 3
                """, "something on the other stream");
        assertThat(result.isWhole()).isTrue();
        assertThat(result.rows())
                .containsExactly(
                        new PeerRow("call", 4, List.of(1.5, 2.25, 10.0)), new PeerRow("call", 1024, List.of(3.0)));
    }

    @Test
    void parse_list_keepsTheWays() {
        assertThat(PeerOutput.parse(0, "result in-flight 6048 9.5\nresult in-turn 6048 8.5\n", "")
                        .rows())
                .extracting(PeerRow::way)
                .containsExactly("in-flight", "in-turn");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "result call 4 NaN",
                "result call 4 0",
                "result call 4 -1",
                "result call 4 Infinity",
                "result call -4 1",
                "result call 4 1,,x",
                "result sideways 4 1",
                "result call 4",
                "result call 99999999999999999999 1",
                "\u0000\u0001\u0002 rubbish"
            })
    void parse_rubbish_isOneLineAndNoCrash(String line) {
        PeerResult result = PeerOutput.parse(0, line + "\n", "");
        assertThat(result.rows()).isEmpty();
        assertThat(result.failure()).startsWith("it wrote no result: ").doesNotContain("\n");
    }

    @Test
    void parse_nothing_saysSo() {
        assertThat(PeerOutput.parse(0, "", "\n---\n").failure()).isEqualTo("it wrote no result: without a word");
    }

    @Test
    void parse_unsupported_isTheReason() {
        assertThat(PeerOutput.parse(0, "unsupported ProcessGroupGloo does not support reduce_scatter\n", "")
                        .failure())
                .isEqualTo("not supported: ProcessGroupGloo does not support reduce_scatter");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "oops | oops",
                "first;no such host;---;rcomm: a rank failed: rank=0, exitCode=3 | no such host",
                "Caused by: E;at a.B.c(D.java:5);... 6 more | Caused by: E"
            })
    void parse_exitCode_tellsTheLastWordsThatSaySomething(String err, String words) {
        assertThat(PeerOutput.parse(3, "result call 4 1.5\n", err.replace(';', '\n')))
                .isEqualTo(new PeerResult(
                        List.of(new PeerRow("call", 4, List.of(1.5))), "it failed: exitCode=3, last words: " + words));
    }

    @Test
    void parse_endlessLine_isShortened() {
        assertThat(PeerOutput.parse(1, "", "x".repeat(5000)).failure())
                .hasSize(160)
                .endsWith("...");
    }
}
