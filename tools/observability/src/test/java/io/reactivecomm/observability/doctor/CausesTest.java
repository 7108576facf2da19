package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.recorder.Dumps;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.PeerRecord;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that end on all ranks, one after the other: the doctor names the rank at which it began. */
class CausesTest {

    private static final String PEER_LOST = "io.reactivecomm.PeerLostException: ";

    private static FailureRecord lost(int rank) {
        return new FailureRecord(FailureRecord.PEER_LOST, rank, "lost rank " + rank + ": its connection ended");
    }

    private static List<String> found(Dumps... dumps) {
        List<FlightDump> made = Arrays.stream(dumps).map(Dumps::make).toList();
        Diagnosis diagnosis = Doctor.diagnose(made);
        return diagnosis.findings().stream()
                .map(finding -> finding.disease() + " " + finding.culprits())
                .toList();
    }

    /** Microseconds before the dump at which the call fails. */
    private static Dumps failed(Dumps dump, FailureRecord failure, long microsAgo) {
        return dump.ended("loss", 0, 9_000_000, 1000).ended("loss", 1, microsAgo + 1000, 1000, failure);
    }

    private static Dumps losing(int rank, int peer, long microsAgo) {
        return failed(Dumps.of(rank, 3), lost(peer), microsAgo)
                .groupFailed(lost(peer))
                .knows(peer, PeerRecord.State.LOST, "");
    }

    @Test
    void rankThatThrew_comesBeforeThosePassingItsLossOn_andThoseLostAfterwards() {
        assertThat(found(
                        losing(0, 2, 500_000)
                                .died(490, PEER_LOST + lost(2).text())
                                .knows(1, PeerRecord.State.LOST, ""),
                        losing(1, 2, 500_000)
                                .died(480, "java.lang.IllegalStateException: no epoch", PEER_LOST + lost(2).text())
                                .knows(0, PeerRecord.State.LOST, ""),
                        Dumps.of(2, 3)
                                .ended("loss", 0, 9_000_000, 1000)
                                .died(520, "java.lang.NullPointerException: no batch")
                                .left()))
                .containsExactly("PROGRAM_DIED [2]");
    }

    @Test
    void rankThatDiffered_comesBeforeAllThatDieOfTheMismatch() {
        FailureRecord differ = new FailureRecord(
                FailureRecord.MISMATCH, 1, "ranks issued different calls under one identity: call=loss#1");
        Dumps[] dumps = new Dumps[3];
        for (int rank = 0; rank < 3; rank++) {
            dumps[rank] = failed(Dumps.of(rank, 3), differ, 500_000)
                    .died(490, "io.reactivecomm.MismatchException: " + differ.text());
            for (int peer = 0; peer < 3; peer++) {
                if (peer != rank) {
                    dumps[rank].knows(peer, PeerRecord.State.LOST, "").groupFailed(lost(peer));
                }
            }
        }
        assertThat(found(dumps)).containsExactly("UNEQUAL_CALLS [1]");
    }

    @Test
    void rankThatWasStopped_comesBeforeThoseThatDieOfItsSilence() {
        FailureRecord silent =
                new FailureRecord(FailureRecord.PEER_LOST, 1, "lost rank 1: it was silent for more than 3 s");
        assertThat(found(
                        failed(Dumps.of(0, 3), silent, 500_000)
                                .died(490, PEER_LOST + silent.text())
                                .knows(1, PeerRecord.State.LOST, ""),
                        failed(Dumps.of(2, 3), silent, 500_000)
                                .died(490, PEER_LOST + silent.text())
                                .knows(1, PeerRecord.State.LOST, "")))
                .containsExactly("STOPPED_PROCESS [1]");
    }

    /** It drops the cause. */
    @Test
    void programThatThrowsItsOwnAfterALoss_comesAfterTheLoss() {
        assertThat(found(losing(0, 1, 500_000).died(490, "java.lang.IllegalStateException: the step failed")))
                .containsExactly("LOST_PEER [1]", "PROGRAM_DIED [0]");
    }

    @Test
    void ofTwoProgramsThatThrew_theEarlierComesFirst() {
        assertThat(found(
                        Dumps.of(0, 2).died(100, "java.lang.IllegalStateException: the second"),
                        Dumps.of(1, 2).died(300, "java.lang.IllegalStateException: the first")))
                .containsExactly("PROGRAM_DIED [1]", "PROGRAM_DIED [0]");
    }

    /** Rank 1 has no dump, as where the launcher has ended it. */
    @Test
    void rankThatWasLostAfterTheEnd_isNotBlamed() {
        assertThat(found(
                        losing(0, 2, 500_000).knows(1, PeerRecord.State.LOST, ""),
                        Dumps.of(2, 3)
                                .died(600, "java.lang.IllegalStateException: no batch")
                                .left()))
                .containsExactly("PROGRAM_DIED [2]");
    }

    /** In a group without rank 2, rank 1 loses only rank 0, which died of the loss of rank 2. */
    @Test
    void rankThatWasLostAsItDiedOfAnotherLoss_isNotBlamed() {
        assertThat(found(
                        losing(0, 2, 500_000).died(490, PEER_LOST + lost(2).text()),
                        losing(1, 0, 400_000).knows(2, PeerRecord.State.LOST, ""),
                        Dumps.of(2, 3)
                                .died(600, "java.lang.IllegalStateException: no batch")
                                .left()))
                .containsExactly("PROGRAM_DIED [2]");
    }

    @Test
    void ranksThatLostEachOther_areBothNamed() {
        assertThat(found(losing(0, 1, 500_000), losing(1, 0, 500_000)))
                .containsExactly("LOST_PEER [0]", "LOST_PEER [1]");
    }

    /** What a rank has recovered from is not what it died of. */
    @Test
    void killedRank_isBlamed_thoughItHadFailedBefore() {
        FailureRecord timeout = new FailureRecord(FailureRecord.TIMEOUT, 1, "all-reduce timed out");
        assertThat(found(
                        losing(0, 1, 500_000),
                        Dumps.of(1, 3)
                                .ended("loss", 0, 9_900_000, 1000, timeout)
                                .ended("loss", 1, 9_000_000, 1000)))
                .containsExactly("LOST_PEER [1]");
    }

    @Test
    void ownInvalidCall_isTheProgramsOwn_andOnlyThere() {
        FailureRecord invalid =
                new FailureRecord("INVALID", 1, "all-reduce failed: rank=1, call=loss#1, got a closed tensor");
        String cause = "io.reactivecomm.InvalidCallException: " + invalid.text();
        assertThat(found(
                        failed(Dumps.of(0, 2), invalid, 500_000).died(490, cause),
                        failed(Dumps.of(1, 2), invalid, 500_000).died(480, cause)))
                .containsExactly("PROGRAM_DIED [1]");
    }

    @Test
    void shortTurn_isNoBlockedLoop() {
        assertThat(found(Dumps.of(0, 1)
                        .isHeld(20_000, "io.reactivecomm.internal.transfer.Staging.take(Staging.java:7)")))
                .isEmpty();
        assertThat(found(Dumps.of(0, 1).isHeld(600_000, "org.example.Train.save(Train.java:7)")))
                .containsExactly("BLOCKED_LOOP [0]");
    }
}
