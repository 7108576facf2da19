package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.atIndex;

import io.reactivecomm.recorder.Dumps;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.PeerRecord;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Cases that no planted job shows; those are tests of {@code tools/rcomm}. */
class DoctorTest {

    private static Finding only(FlightDump... dumps) {
        Diagnosis diagnosis = Doctor.diagnose(List.of(dumps));
        assertThat(diagnosis.findings()).as(diagnosis.text()).hasSize(1);
        return diagnosis.findings().getFirst();
    }

    @Test
    void nothing_isNotDiagnosed() {
        assertThatThrownBy(() -> Doctor.diagnose(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dumps=0");
    }

    /** All goes on, but rank 1 comes 20 ms after the others each time. */
    @Test
    void rankThatComesLastAgainAndAgain_isSlow() {
        FlightDump[] dumps = IntStream.range(0, 3)
                .mapToObj(rank -> {
                    Dumps dump = Dumps.of(rank, 3);
                    for (int call = 0; call < 10; call++) {
                        dump.ended("layer", call, 1_000_000 - call * 50_000, rank == 1 ? 100 : 20_100 + rank);
                    }
                    return dump.make();
                })
                .toArray(FlightDump[]::new);
        Finding finding = only(dumps);
        assertThat(finding.disease()).isEqualTo(Disease.SLOW_RANK);
        assertThat(finding.culprits()).containsExactly(1);
        assertThat(finding.text())
                .contains("came last to 10 of the last 10 calls")
                .contains("20 ms on the mean");
    }

    @Test
    void rankThatHasLeft_whileOthersWait() {
        Finding finding = only(
                Dumps.of(0, 2).ended("loss", 0, 500, 100).waitsIn("loss", 1, 1).make(),
                Dumps.of(1, 2).ended("loss", 0, 500, 100).left().make());
        assertThat(finding.disease()).isEqualTo(Disease.LEFT_EARLY);
        assertThat(finding.culprits()).containsExactly(1);
        assertThat(finding.text()).contains("Rank 1 has left without making loss#1");
    }

    @Test
    void rankWithoutADump_whoseLoopIsHeld_isNoStoppedProcess() {
        Finding finding = only(Dumps.of(0, 2)
                .waitsIn("loss", 1, 1)
                .knows(1, PeerRecord.State.UP, "rank 1's loop has not turned for 2 s, it says: Foo.bar:1")
                .make());
        assertThat(finding.disease()).isEqualTo(Disease.BLOCKED_LOOP);
        assertThat(finding.text())
                .contains("no dump of rank 1")
                .contains("Foo.bar:1")
                .contains("rank 0 waits for it in loss#1");
    }

    /** The chain ends at rank 2: rank 1, which rank 0 waits for, waits itself. */
    @Test
    void rankThatWaitsItself_isNotBlamed() {
        Finding finding = only(
                Dumps.of(0, 3).waitsIn("a", 0, 1).make(),
                Dumps.of(1, 3).waitsIn("b", 0, 2).make(),
                Dumps.of(2, 3).ended("c", 0, 900, 100).make());
        assertThat(finding.culprits()).containsExactly(2);
    }

    @Test
    void receiveThatMayBeIdle_blamesNobody() {
        Diagnosis diagnosis = Doctor.diagnose(List.of(
                Dumps.of(0, 2).idlesIn("[any→0]", 1).make(),
                Dumps.of(1, 2).ended("a", 0, 900, 100).make()));
        assertThat(diagnosis.findings()).isEmpty();
    }

    /** It is no excuse either: rank 1 has not made the call, and what it has under way keeps it from nothing. */
    @Test
    void receiveThatMayBeIdle_hidesNoRankThatIsLate() {
        Finding finding = only(
                Dumps.of(0, 3).idlesIn("[any→0]", 1, 2).waitsIn("x", 0, 1).make(),
                Dumps.of(1, 3).idlesIn("[any→1]", 0, 2).ended("a", 0, 900, 100).make(),
                Dumps.of(2, 3).waitsIn("x", 0, 1).make());
        assertThat(finding.culprits()).containsExactly(1);
        assertThat(finding.call()).isEqualTo("x#0");
        assertThat(finding.text()).contains("it has skipped one").doesNotContain("any");
    }

    @Test
    void rankThatIsBusy_besideAReceiveThatMayBeIdle_isSlow() {
        Finding finding = only(
                Dumps.of(0, 2).waitsIn("x", 0, 1).make(),
                Dumps.of(1, 2)
                        .idlesIn("[any→1]", 0)
                        .ended("a", 0, 900, 100)
                        .isAt("org.example.Job.load(Job.java:7)")
                        .make());
        assertThat(finding.disease()).isEqualTo(Disease.SLOW_RANK);
        assertThat(finding.culprits()).containsExactly(1);
        assertThat(finding.text())
                .contains("it waits in no call but [any→1] (receive), which may be idle", "Job.java:7");
    }

    @Test
    void ofTwoDumpsOfARank_theNewestCounts() {
        FlightDump old = Dumps.of(0, 1)
                .ended("loss", 0, 900, 100, new FailureRecord("INVALID", 0, "bad"))
                .make();
        FlightDump later =
                Dumps.of(0, 1).at(Instant.parse("2026-11-25T12:00:01Z")).make();
        assertThat(Doctor.diagnose(List.of(later, old)).findings()).isEmpty();
    }

    /** Rank 1 was killed before it wrote one: what it wrote in an earlier run into the same folder is not of this one. */
    @Test
    void dumpsOfAnotherWorld_areLeftOut_withAWarning() {
        Instant today = Instant.parse("2026-11-26T12:00:00Z");
        Diagnosis diagnosis = Doctor.diagnose(List.of(
                Dumps.of(0, 3).inWorld("old").make(),
                Dumps.of(1, 3).inWorld("old").make(),
                Dumps.of(0, 2).inWorld("new").at(today).waitsIn("loss", 1, 1).make()));
        assertThat(diagnosis.present()).containsExactly(0);
        assertThat(diagnosis.absent()).containsExactly(1);
        assertThat(diagnosis.findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.disease()).isEqualTo(Disease.STOPPED_PROCESS));
        assertThat(diagnosis.warnings())
                .hasSize(2)
                .satisfies(
                        warning -> assertThat(warning).contains("world=old", "ranks 0 and 1", "2026-11-25T12:00:00Z"),
                        atIndex(0))
                .satisfies(warning -> assertThat(warning).contains("RCOMM_CALL_SITES=1"), atIndex(1));
    }

    /** Names and messages are a program's own, and a dump may be anybody's. */
    @Test
    void text_steersNoTerminal() {
        FailureRecord failure = new FailureRecord("INVALID", 0, "a bad\u001b[31m call\nof two lines\u2028");
        Diagnosis diagnosis = Doctor.diagnose(
                List.of(Dumps.of(0, 1).ended("lo\u0001ss", 0, 900, 100, failure).make()));
        assertThat(diagnosis.text())
                .contains("lo ss#0")
                .contains("a bad [31m call of two lines")
                .matches("[^\\p{Cc}\\p{Cf}\\p{Zl}]*");
    }

    @Test
    void anyOtherFailure_isToldAsItWas() {
        Finding finding = only(Dumps.of(0, 1)
                .ended("loss", 0, 900, 100, new FailureRecord("INVALID", 0, "a bad call"))
                .make());
        assertThat(finding.disease()).isEqualTo(Disease.OTHER_FAILURE);
        assertThat(finding.text())
                .contains("loss#0 (all-reduce) failed on rank 0")
                .contains("a bad call");
    }
}
