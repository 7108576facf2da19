package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Communicators over the double of NCCL: those that do not block, their failures, their ends, and those that are made from others. */
@ExtendWith(NeedsGcc.class)
class NcclDoubleStatesTest {

    private static final int COUNT = 4;

    /** One copy for all: its faults are forgotten after each. */
    private static final NcclDouble NCCL = NcclDouble.load(NcclDoubleDialect.NCCL);

    private static NcclResult sum(NcclDoubleRanks.Rank rank, long comm) {
        NcclElements.fill(rank.memory(), 0, NcclType.INT32, COUNT, i -> rank.number() + 1);
        NcclElements.fill(rank.memory(), 512, NcclType.INT32, COUNT, i -> 0);
        return rank.calls()
                .allReduce(
                        rank.at(0), rank.at(512), COUNT, NcclType.INT32, NcclOperation.SUM.code(), comm, rank.stream());
    }

    private static double[] result(NcclDoubleRanks.Rank rank) {
        return NcclElements.read(rank.memory(), 512, NcclType.INT32, COUNT);
    }

    private static void assertSum(NcclDoubleRanks.Rank rank, long comm, int expected) {
        sum(rank, comm);
        rank.synchronize();
        assertThat(result(rank)).containsOnly(expected);
    }

    /** Asks until a communicator has failed. */
    private static NcclResult failureOf(NcclDoubleRanks.Rank rank) {
        while (true) {
            try {
                rank.setup().asyncError(rank.comm());
                Thread.onSpinWait();
            } catch (NcclException e) {
                return e.result();
            }
        }
    }

    @Test
    void communicatorThatDoesNotBlock_isInProgressUntilItHasBeenAsked() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.unjoined(NCCL, 2)) {
            NCCL.polls(3);
            byte[] id = ranks.rank(0).setup().uniqueId();
            ranks.succeed(rank -> {
                NewComm made = rank.setup().initRank(2, id, rank.number(), new NcclConfig(false));
                assertThat(made.state()).isEqualTo(NcclResult.IN_PROGRESS);
                assertThat(rank.poll(made.comm())).isGreaterThan(3);
                assertThat(rank.setup().size(made.comm())).isEqualTo(2);
                rank.setup().destroy(made.comm());
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void communicatorWhoseRanksDoNotCome_isInProgress_andCanBeAborted() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.unjoined(NCCL, 1)) {
            ranks.succeed(rank -> {
                long comm = rank.setup()
                        .initRank(2, rank.setup().uniqueId(), 0, new NcclConfig(false))
                        .comm();
                for (int i = 0; i < 10; i++) {
                    assertThat(rank.setup().asyncError(comm)).isEqualTo(NcclResult.IN_PROGRESS);
                }
                assertThat(rank.setup().abort(comm)).isEqualTo(NcclResult.SUCCESS);
            });
            assertThat(NCCL.comms()).isZero();
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    /** Whoever takes its stream for ready before it has asked finds nothing there. */
    @Test
    void launchOfACommunicatorThatDoesNotBlock_isOnItsStreamOnceItHasBeenAsked() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.beginPolled(NCCL, 2)) {
            ranks.succeed(rank -> {
                rank.calls().groupStart();
                assertThat(sum(rank, rank.comm())).isEqualTo(NcclResult.SUCCESS);
                assertThat(rank.calls().groupEnd()).isEqualTo(NcclResult.IN_PROGRESS);
                rank.synchronize();
                assertThat(result(rank)).containsOnly(0);
                rank.poll(rank.comm());
                rank.synchronize();
                assertThat(result(rank)).containsOnly(3);
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void useOfACommunicatorInProgress_isAFault() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.beginPolled(NCCL, 1)) {
            ranks.succeed(rank -> {
                assertThat(sum(rank, rank.comm())).isEqualTo(NcclResult.IN_PROGRESS);
                assertThatThrownBy(() -> sum(rank, rank.comm())).hasMessageContaining("result=INVALID_ARGUMENT (4)");
                assertThatThrownBy(() -> rank.setup().size(rank.comm()))
                        .hasMessageContaining("result=INVALID_ARGUMENT (4)");
                assertThatThrownBy(() -> rank.setup().destroy(rank.comm()))
                        .hasMessageContaining("result=INVALID_USAGE (5)");
                rank.poll(rank.comm());
            });
            assertThat(NCCL.faults()).hasSize(3).allMatch(each -> each.contains("is in progress"));
        }
    }

    /** The child is written only when the parent has been asked: until then there is none. */
    @Test
    void splitOfACommunicatorThatDoesNotBlock_isThereWhenItsParentSaysSo() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.beginPolled(NCCL, 3)) {
            ranks.succeed(rank -> {
                NewComm made =
                        rank.setup().split(rank.comm(), rank.number() == 1 ? NcclSetup.NO_COLOR : 7, -rank.number());
                assertThat(made.state()).isEqualTo(NcclResult.IN_PROGRESS);
                assertThat(made.comm()).isZero();
                rank.poll(rank.comm());
                if (rank.number() == 1) {
                    assertThat(made.comm()).isZero();
                    return;
                }
                rank.poll(made.comm());
                assertThat(rank.setup().size(made.comm())).isEqualTo(2);
                assertThat(rank.setup().rank(made.comm())).isEqualTo(rank.number() == 2 ? 0 : 1);
                sum(rank, made.comm());
                rank.poll(made.comm());
                rank.synchronize();
                assertThat(result(rank)).containsOnly(4);
                assertThat(rank.setup().finalizeComm(made.comm())).isEqualTo(NcclResult.IN_PROGRESS);
                rank.poll(made.comm());
                rank.setup().destroy(made.comm());
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = NcclResult.class,
            names = {"UNHANDLED_CUDA_ERROR", "REMOTE_ERROR", "TIMEOUT"})
    void failureOfACommunicator_isSeenOnAllRanks_andHoldsItsWorkUntilAnAbort(NcclResult result) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            sum(ranks.rank(0), ranks.rank(0).comm());
            assertThat(NCCL.fail(NCCL.name(ranks.rank(1).comm()), 1, result)).isTrue();

            ranks.succeed(rank -> assertThat(failureOf(rank)).isEqualTo(result));
            assertThatThrownBy(
                            () -> ranks.rank(1).setup().asyncError(ranks.rank(1).comm()))
                    .hasMessageStartingWith("a function of NCCL failed: function=ncclCommGetAsyncError, result="
                            + result + " (" + result.ordinal() + "), text=");
            ranks.succeed(
                    rank -> assertThatThrownBy(() -> sum(rank, rank.comm())).isInstanceOf(NcclException.class));
            assertThat(NCCL.isIdle(ranks.rank(0).stream())).isFalse();
            ranks.succeed(rank -> rank.setup().abort(rank.comm()));
            ranks.rank(0).synchronize();
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void workThatIsToldToFail_failsItsCommunicatorOnAllRanks() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            NCCL.plan("launch", 1, NcclResult.UNHANDLED_CUDA_ERROR, 1);
            ranks.succeed(rank -> assertSum(rank, rank.comm(), 3));
            sum(ranks.rank(0), ranks.rank(0).comm());
            sum(ranks.rank(1), ranks.rank(1).comm());
            ranks.succeed(rank -> assertThat(failureOf(rank)).isEqualTo(NcclResult.UNHANDLED_CUDA_ERROR));
        }
    }

    @Test
    void resultsThatATestWants_areReturned_andInProgressIsNoError() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 1)) {
            ranks.succeed(rank -> {
                NCCL.plan("AllReduce", 0, NcclResult.REMOTE_ERROR, 1);
                NCCL.plan("GroupEnd", NcclDouble.ANY, NcclResult.IN_PROGRESS, 0);
                assertSum(rank, rank.comm(), 1);
                assertThatThrownBy(() -> sum(rank, rank.comm())).hasMessageContaining("result=REMOTE_ERROR (6)");
                rank.calls().groupStart();
                assertThat(rank.calls().groupEnd()).isEqualTo(NcclResult.IN_PROGRESS);
                NCCL.plan("AllReduce", 0, NcclResult.IN_PROGRESS, 0);
                assertThat(sum(rank, rank.comm())).isEqualTo(NcclResult.IN_PROGRESS);
                rank.synchronize();
                assertThat(result(rank)).containsOnly(1);
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    /** The other rank's call never comes; a thread that is nobody's aborts. */
    @Test
    void abortOfWorkInProgress_letsItsRankGo_andOtherRanksSeeIt() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            NcclDoubleRanks.Rank first = ranks.rank(0);
            Future<?> waiting = ranks.start(0, rank -> {
                sum(rank, rank.comm());
                rank.synchronize();
            });
            assertThat(waiting).isNotDone();
            awaitLaunch();
            first.setup().abort(first.comm());

            assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).isNull();
            assertThat(result(first)).containsOnly(0);
            assertThat(failureOf(ranks.rank(1))).isEqualTo(NcclResult.REMOTE_ERROR);
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    private static void awaitLaunch() {
        while (NCCL.launches().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    /** As on a device that lets go of memory later than the abort returns. */
    @Test
    void workThatIsHeldAtItsEnd_leavesItsStreamLater() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            NcclDoubleRanks.Rank first = ranks.rank(0);
            NCCL.hold(0, false, true);
            sum(first, first.comm());
            first.setup().abort(first.comm());
            assertThat(NCCL.isIdle(first.stream())).isFalse();
            NCCL.hold(0, false, false);
            first.synchronize();
            assertThat(NCCL.isIdle(first.stream())).isTrue();
        }
    }

    @Test
    void workThatIsHeldOrDelayedAtItsBeginning_beginsLater() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 1)) {
            NcclDoubleRanks.Rank rank = ranks.rank(0);
            NCCL.hold(0, true, false);
            NCCL.delay(0, 1);
            sum(rank, rank.comm());
            assertThat(result(rank)).containsOnly(0);
            NCCL.hold(0, false, false);
            rank.synchronize();
            assertThat(result(rank)).containsOnly(1);
        }
    }

    @Test
    void revokedCommunicator_givesUpItsWork_andCanBeShrunk() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 3)) {
            sum(ranks.rank(0), ranks.rank(0).comm());
            ranks.succeed(rank -> {
                rank.setup().revoke(rank.comm());
                rank.synchronize();
                assertThatThrownBy(() -> sum(rank, rank.comm())).hasMessageContaining("result=INVALID_USAGE (5)");
                if (rank.number() != 1) {
                    long rest = rank.setup().shrink(rank.comm(), List.of(1), 0).comm();
                    assertThat(rank.setup().rank(rest)).isEqualTo(rank.number() / 2);
                    assertSum(rank, rest, 4);
                    rank.setup().destroy(rest);
                }
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void failedCommunicator_isShrunkWhileItsWorkIsAborted() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            NcclDoubleRanks.Rank first = ranks.rank(0);
            sum(first, first.comm());
            NCCL.fail(NCCL.name(first.comm()), 0, NcclResult.REMOTE_ERROR);
            assertThatThrownBy(() -> first.setup().shrink(first.comm(), List.of(1), 0))
                    .hasMessageContaining("result=REMOTE_ERROR (6)");
            ranks.succeed(rank -> {
                if (rank.number() == 0) {
                    long rest = rank.setup()
                            .shrink(rank.comm(), List.of(1), NcclSetup.SHRINK_ABORTING)
                            .comm();
                    rank.synchronize();
                    assertSum(rank, rest, 1);
                    rank.setup().destroy(rest);
                }
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void communicatorGrows() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2);
                NcclDoubleRanks others = NcclDoubleRanks.unjoined(NCCL, 1)) {
            byte[] id = ranks.rank(0).setup().growthId(ranks.rank(0).comm());
            Future<?> later = others.start(0, rank -> {
                long comm = rank.setup().grow(0, 3, id, 2, new NcclConfig(true)).comm();
                assertSum(rank, comm, 1 + 1 + 2);
                rank.setup().destroy(comm);
            });
            ranks.succeed(rank -> {
                long comm = rank.setup()
                        .grow(rank.comm(), 3, id, NcclSetup.SAME_RANK, new NcclConfig(true))
                        .comm();
                assertThat(rank.setup().rank(comm)).isEqualTo(rank.number());
                assertSum(rank, comm, 1 + 1 + 2);
                rank.setup().destroy(comm);
            });
            assertThat(later).succeedsWithin(Duration.ofSeconds(30)).isNull();
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void destroyedCommunicator_waitsForItsWork() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 2)) {
            ranks.succeed(rank -> {
                sum(rank, rank.comm());
                rank.setup().destroy(rank.comm());
                assertThat(result(rank)).containsOnly(3);
            });
            assertThat(NCCL.comms()).isZero();
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    @Test
    void memoryOfTheLibrary_isRegisteredAndFreed() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(NCCL, 1)) {
            ranks.succeed(rank -> {
                long memory = rank.setup().allocate(4096);
                long registration = rank.setup().register(rank.comm(), memory, 4096);
                rank.calls()
                        .allReduce(
                                memory,
                                memory,
                                16,
                                NcclType.FLOAT64,
                                NcclOperation.AVG.code(),
                                rank.comm(),
                                rank.stream());
                rank.synchronize();
                rank.setup().deregister(rank.comm(), registration);
                rank.setup().free(memory);
            });
            assertThat(NCCL.faults()).isEmpty();
        }
    }

    /** Without CUDA all ranks are on the same device. */
    @Test
    void ranksOfOneDevice_areRefusedIfATestWantsIt() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.unjoined(NCCL, 2)) {
            NCCL.refuseDuplicates();
            byte[] id = ranks.rank(0).setup().uniqueId();
            assertThat(ranks.run(rank -> rank.setup().initRank(2, id, rank.number())))
                    .allSatisfy(each -> assertThat(each)
                            .hasMessageContaining("result=INVALID_USAGE (5)")
                            .hasMessageContaining("Duplicate GPU detected"));
        }
    }

    /** Its results are there when the call returns, and its failures are the call's: nothing comes later. */
    @Test
    void callsOfOneCcl_blockUntilAllIsDone() {
        NcclDouble oneCcl = NcclDouble.load(NcclDoubleDialect.ONECCL);
        assertThat(oneCcl.library().dialect().blocksInCalls()).isTrue();
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(oneCcl, 2)) {
            ranks.succeed(rank -> {
                sum(rank, rank.comm());
                assertThat(result(rank)).containsOnly(3);
            });
            assertThat(ranks.run(rank -> rank.calls()
                            .allReduce(
                                    rank.at(0),
                                    rank.at(512),
                                    1 + rank.number(),
                                    NcclType.INT32,
                                    0,
                                    rank.comm(),
                                    rank.stream())))
                    .allSatisfy(each -> assertThat(each)
                            .hasMessageContaining("function=onecclAllReduce, result=INVALID_USAGE (5)"));
            ranks.succeed(rank -> rank.setup().destroy(rank.comm()));
            assertThat(oneCcl.comms()).isZero();
        }
    }

    @Test
    void version_isThatWhichATestWants() {
        NCCL.version(22_203);
        assertThat(new NcclSetup(NCCL.library()).version()).isEqualTo(22_203);
        NCCL.clear();
    }
}
