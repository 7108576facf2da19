package io.reactivecomm.internal.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.JobBoard;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports as they stand on the board. */
class ReportCodecTest {

    private static WaitingCall call(String label, List<Integer> waitsFor) {
        return new WaitingCall(
                7,
                600,
                label,
                "all-reduce",
                "links",
                4000,
                Optional.of(Duration.ofMillis(1500)),
                waitsFor,
                waitsFor.size());
    }

    private static RankReport report(List<WaitingCall> calls, String failure) {
        return new RankReport(
                3,
                600,
                4711,
                "node7",
                Duration.ofSeconds(1),
                12,
                1,
                1L << 40,
                1L << 41,
                77,
                5,
                calls,
                List.of(2),
                failure);
    }

    @Test
    void report_comesOutAsItWentIn() {
        WaitingCall unknown = new WaitingCall(0, 2, "x#0", "", "", 0, Optional.empty(), List.of(), 0);
        RankReport report = report(List.of(call("layer1#2", List.of(0, 9)), unknown), "rank 2 was lost");
        assertThat(ReportCodec.decode(ReportCodec.encode(report))).isEqualTo(report);
    }

    @Test
    void report_isCutToFit() {
        String long1 = "\"\\".repeat(5000);
        String long2 = "𝔊".repeat(5000);
        List<Integer> all = IntStream.range(0, 600).boxed().toList();
        RankReport report = report(
                List.of(call(long1, all), call(long2, all), call(long1, all), call(long2, all), call(long1, all)),
                long2);
        byte[] record = ReportCodec.encode(report);
        assertThat(record.length).isLessThanOrEqualTo(JobBoard.MAX_RECORD_BYTES);
        RankReport read = ReportCodec.decode(record);
        assertThat(read.oldest()).isNotEmpty().allSatisfy(call -> {
            assertThat(call.label()).endsWith("…");
            assertThat(call.waitsFor()).isEqualTo(all.subList(0, call.waitsFor().size()));
            assertThat(call.lateCount()).isEqualTo(600);
        });
        assertThat(read.failure()).startsWith("𝔊").endsWith("…");
    }

    @Test
    void text_thatSteersATerminal_isTakenOut() {
        String hostile = new String(ReportCodec.encode(report(List.of(), "")), StandardCharsets.UTF_8)
                .replace("node7", "a\\u001b[2Jb\\u202ec\\nd");
        assertThat(ReportCodec.decode(hostile.getBytes(StandardCharsets.UTF_8)).host())
                .isEqualTo("a [2Jb c d");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "nonsense",
                "[[[[[[[[[[[[]]]]]]]]]]]]",
                "{\"rank\":99999999999999999999}",
                "{\"rank\":4294967296}"
            })
    void record_thatMakesNoSense_isATypedErrorOrAnEmptyReport(String record) {
        byte[] bytes = record.getBytes(StandardCharsets.UTF_8);
        try {
            assertThat(ReportCodec.decode(bytes).oldest()).isEmpty();
        } catch (RendezvousException e) {
            assertThat(e).hasMessageContaining("makes no sense");
        }
    }

    @Test
    void bytes_ofAnyKind_areReadOrRefused() {
        Random random = new Random(1);
        byte[] good = ReportCodec.encode(report(Collections.nCopies(3, call("layer1#2", List.of(0, 9))), "gone"));
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = good.clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                ReportCodec.decode(bytes);
            } catch (RendezvousException e) {
                assertThat(e).hasMessageContaining("makes no sense");
            }
        }
        assertThatThrownBy(() -> ReportCodec.decode(new byte[] {'{'})).isInstanceOf(RendezvousException.class);
    }
}
