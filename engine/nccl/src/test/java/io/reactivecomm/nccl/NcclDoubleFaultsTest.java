package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.testkit.NeedsGcc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The double of NCCL finds what is wrong in its use: a fault is planted for each of its checks. */
@ExtendWith(NeedsGcc.class)
class NcclDoubleFaultsTest {

    private static final int SUM = NcclOperation.SUM.code();

    private static void sum(NcclDoubleRanks.Rank rank) {
        rank.calls().allReduce(rank.at(0), rank.at(512), 4, NcclType.FLOAT32, SUM, rank.comm(), rank.stream());
    }

    /** A use of NCCL that is not allowed, by one rank alone. @param fault a part of what is found */
    record Misuse(String name, String fault, NcclResult result, NcclDoubleRanks.Program program) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Misuse misuse(String name, String fault, NcclDoubleRanks.Program program) {
        return new Misuse(name, fault, NcclResult.INVALID_ARGUMENT, program);
    }

    private static Misuse wrongUsage(String name, String fault, NcclDoubleRanks.Program program) {
        return new Misuse(name, fault, NcclResult.INVALID_USAGE, program);
    }

    private static void reduce(
            NcclDoubleRanks.Rank rank, long from, long to, long count, NcclType type, int op, int root) {
        rank.calls().reduce(from, to, count, type, op, root, rank.comm(), rank.stream());
    }

    private static void grouped(NcclDoubleRanks.Rank rank, Runnable calls) {
        rank.calls().groupStart();
        try {
            calls.run();
        } finally {
            rank.calls().groupEnd();
        }
    }

    private static Stream<Misuse> misusesOfCalls() {
        return Stream.of(
                misuse(
                        "null pointer",
                        "AllReduce: a null pointer",
                        rank -> rank.calls()
                                .allReduce(0, rank.at(0), 1, NcclType.INT8, SUM, rank.comm(), rank.stream())),
                misuse(
                        "no such communicator",
                        "no such communicator",
                        rank -> rank.calls()
                                .allReduce(rank.at(0), rank.at(0), 1, NcclType.INT8, SUM, 1234, rank.stream())),
                misuse(
                        "no such root",
                        "no such root or peer",
                        rank -> reduce(rank, rank.at(0), rank.at(0), 1, NcclType.INT8, SUM, 1)),
                misuse(
                        "negative peer",
                        "no such root or peer",
                        rank -> rank.calls().send(rank.at(0), 1, NcclType.INT8, -1, rank.comm(), rank.stream())),
                misuse(
                        "no such operation",
                        "no such operation: op=5",
                        rank -> reduce(rank, rank.at(0), rank.at(0), 1, NcclType.INT8, 5, 0)),
                misuse(
                        "no such count",
                        "no such count",
                        rank -> reduce(rank, rank.at(0), rank.at(0), -1, NcclType.INT8, SUM, 0)),
                misuse(
                        "buffers that overlap",
                        "the buffers of a call overlap",
                        rank -> reduce(rank, rank.at(0), rank.at(4), 2, NcclType.INT32, SUM, 0)),
                misuse(
                        "all-to-all in place",
                        "the buffers of a call overlap",
                        rank -> rank.calls()
                                .allToAll(rank.at(0), rank.at(0), 2, NcclType.INT32, rank.comm(), rank.stream())),
                misuse("reduction of another type", "of another type", rank -> {
                    int op = rank.calls().createPreMulSum(2, NcclType.FLOAT32, rank.comm());
                    reduce(rank, rank.at(0), rank.at(0), 1, NcclType.FLOAT64, op, 0);
                }),
                misuse("reduction that is destroyed", "a reduction that is destroyed", rank -> {
                    int op = rank.calls().createPreMulSum(2, NcclType.FLOAT32, rank.comm());
                    rank.calls().destroyPreMulSum(op, rank.comm());
                    reduce(rank, rank.at(0), rank.at(0), 1, NcclType.FLOAT32, op, 0);
                }),
                misuse("reduction destroyed twice", "no such reduction", rank -> {
                    int op = rank.calls().createPreMulSum(2, NcclType.FLOAT32, rank.comm());
                    rank.calls().destroyPreMulSum(op, rank.comm());
                    rank.calls().destroyPreMulSum(op, rank.comm());
                }),
                wrongUsage(
                        "end without start",
                        "this thread has begun no group",
                        rank -> rank.calls().groupEnd()),
                wrongUsage(
                        "two streams",
                        "two streams for one communicator",
                        rank -> grouped(rank, () -> {
                            sum(rank);
                            rank.calls()
                                    .broadcast(
                                            rank.at(1024),
                                            rank.at(1024),
                                            1,
                                            NcclType.INT8,
                                            0,
                                            rank.comm(),
                                            rank.stream() + 1000);
                        })),
                wrongUsage(
                        "calls of one group that overlap",
                        "calls of one group write where others read or write",
                        rank -> {
                            rank.calls().groupStart();
                            sum(rank);
                            rank.calls()
                                    .broadcast(
                                            rank.at(520),
                                            rank.at(520),
                                            1,
                                            NcclType.FLOAT32,
                                            0,
                                            rank.comm(),
                                            rank.stream());
                            rank.calls().groupEnd();
                        }));
    }

    private static Stream<Misuse> misusesOfCommunicators() {
        return Stream.of(
                misuse("use after abort", "AllReduce: the communicator was aborted", rank -> {
                    rank.setup().abort(rank.comm());
                    sum(rank);
                }),
                misuse("use after destroy", "AllReduce: the communicator was destroyed", rank -> {
                    rank.setup().destroy(rank.comm());
                    sum(rank);
                }),
                misuse("use after finalize", "AllReduce: the communicator was finalized", rank -> {
                    rank.setup().finalizeComm(rank.comm());
                    sum(rank);
                }),
                misuse("destroy twice", "CommDestroy: no such communicator, or it has ended", rank -> {
                    rank.setup().destroy(rank.comm());
                    rank.setup().destroy(rank.comm());
                }),
                misuse("abort twice", "CommAbort: no such communicator, or it has ended", rank -> {
                    rank.setup().abort(rank.comm());
                    rank.setup().abort(rank.comm());
                }),
                misuse("asked after abort", "CommGetAsyncError: no such communicator, or it has ended", rank -> {
                    rank.setup().abort(rank.comm());
                    rank.setup().asyncError(rank.comm());
                }),
                misuse("id used twice", "a unique id is used twice", rank -> {
                    byte[] id = rank.setup().uniqueId();
                    rank.setup().destroy(rank.setup().initRank(1, id, 0).comm());
                    rank.setup().initRank(1, id, 0);
                }),
                misuse(
                        "id of nobody's",
                        "no unique id of this library",
                        rank -> rank.setup().initRank(1, new byte[128], 0)),
                misuse(
                        "no such rank",
                        "no such rank: rank=1, size=1",
                        rank -> rank.setup().initRank(1, rank.setup().uniqueId(), 1)),
                misuse(
                        "split by a color that is none",
                        "color=-2",
                        rank -> rank.setup().split(rank.comm(), -2, 0)),
                wrongUsage(
                        "split in a group",
                        "makes no communicators in a group",
                        rank -> grouped(rank, () -> rank.setup().split(rank.comm(), 0, 0))),
                misuse(
                        "shrink without itself",
                        "CommShrink: excluded=1",
                        rank -> rank.setup().shrink(rank.comm(), List.of(0), 0)),
                misuse(
                        "grow to the same size",
                        "CommGrow: rank=-1 of a member, size=1",
                        rank -> rank.setup()
                                .grow(
                                        rank.comm(),
                                        1,
                                        rank.setup().growthId(rank.comm()),
                                        NcclSetup.SAME_RANK,
                                        new NcclConfig(true))),
                misuse("deregistered twice", "no such registration", rank -> {
                    long handle = rank.setup().register(rank.comm(), rank.at(0), 64);
                    rank.setup().deregister(rank.comm(), handle);
                    rank.setup().deregister(rank.comm(), handle);
                }),
                misuse(
                        "registered without bytes",
                        "CommRegister",
                        rank -> rank.setup().register(rank.comm(), rank.at(0), 0)),
                wrongUsage("freed while registered", "the memory is registered", rank -> {
                    long memory = rank.setup().allocate(64);
                    rank.setup().register(rank.comm(), memory, 64);
                    rank.setup().free(memory);
                }),
                misuse(
                        "configuration of another size",
                        "a configuration is not as it should be: size=40",
                        rank -> initWith(rank, config -> config.set(JAVA_INT, 0, 40))),
                misuse(
                        "configuration without magic",
                        "a configuration is not as it should be",
                        rank -> initWith(rank, config -> config.set(JAVA_INT, 8, 0))),
                misuse(
                        "configuration of another version",
                        "version=2",
                        rank -> initWith(rank, config -> config.set(JAVA_INT, 12, 2))));
    }

    private interface Change {

        void make(MemorySegment config);
    }

    /** A communicator by a configuration that is changed. */
    private static void initWith(NcclDoubleRanks.Rank rank, Change change) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment config =
                    new NcclConfig(true).write(rank.setup().library().dialect(), arena);
            change.make(config);
            MemorySegment id = arena.allocate(128, 8)
                    .copyFrom(MemorySegment.ofArray(rank.setup().uniqueId()));
            var handle = rank.setup().library().function(NcclFunction.COMM_INIT_RANK_CONFIG);
            long place = arena.allocate(8, 8).address();
            long options = config.address();
            rank.setup().errors().checked(NcclFunction.COMM_INIT_RANK_CONFIG, 0, () ->
                    (int) handle.invokeExact(place, 1, id, 0, options));
        }
    }

    static Stream<Misuse> misuses() {
        return Stream.concat(misusesOfCalls(), misusesOfCommunicators());
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuse_isAFault_andAnError(Misuse misuse) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(Shared.NCCL, 1)) {
            RuntimeException thrown = ranks.run(misuse.program).getFirst();

            assertThat(ranks.nccl().faults()).anyMatch(each -> each.contains(misuse.fault));
            assertThat(thrown)
                    .isInstanceOfSatisfying(
                            NcclException.class, e -> assertThat(e.result()).isEqualTo(misuse.result));
        }
    }

    /** One copy for all: its faults are forgotten after each. */
    private static final class Shared {
        static final NcclDouble NCCL = NcclDouble.load(NcclDoubleDialect.NCCL);
    }

    /** Two ranks' calls that do not fit. @param fault a part of what is found */
    record Disagreement(String name, String fault, NcclDoubleRanks.Program program) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static void broadcast(NcclDoubleRanks.Rank rank, int count, NcclType type, int root) {
        rank.calls().broadcast(rank.at(0), rank.at(512), count, type, root, rank.comm(), rank.stream());
    }

    private static void message(NcclDoubleRanks.Rank rank, int place, int count) {
        if (rank.number() == 0) {
            rank.calls().send(rank.at(64L * place), count, NcclType.INT8, 1, rank.comm(), rank.stream());
        } else {
            rank.calls().receive(rank.at(64L * place), count, NcclType.INT8, 0, rank.comm(), rank.stream());
        }
    }

    static Stream<Disagreement> disagreements() {
        return Stream.of(
                new Disagreement("group cut differently", "ranks cut a group differently", rank -> {
                    Runnable other = () -> broadcast(rank, 1, NcclType.INT8, 0);
                    if (rank.number() == 0) {
                        grouped(rank, () -> {
                            rank.calls()
                                    .allReduce(
                                            rank.at(1024),
                                            rank.at(1024),
                                            1,
                                            NcclType.INT8,
                                            SUM,
                                            rank.comm(),
                                            rank.stream());
                            other.run();
                        });
                    } else {
                        rank.calls()
                                .allReduce(
                                        rank.at(1024),
                                        rank.at(1024),
                                        1,
                                        NcclType.INT8,
                                        SUM,
                                        rank.comm(),
                                        rank.stream());
                    }
                }),
                new Disagreement("another call", "ranks cut a group differently", rank -> {
                    if (rank.number() == 0) {
                        sum(rank);
                    } else {
                        broadcast(rank, 4, NcclType.FLOAT32, 0);
                    }
                }),
                new Disagreement(
                        "count", "Broadcast count=2", rank -> broadcast(rank, 1 + rank.number(), NcclType.INT8, 0)),
                new Disagreement(
                        "type",
                        "ranks cut",
                        rank -> broadcast(rank, 1, rank.number() == 0 ? NcclType.INT8 : NcclType.UINT8, 0)),
                new Disagreement("root", "root=1", rank -> broadcast(rank, 1, NcclType.INT8, rank.number())),
                new Disagreement(
                        "operation",
                        "op=2",
                        rank -> rank.calls()
                                .allReduce(
                                        rank.at(0),
                                        rank.at(0),
                                        1,
                                        NcclType.INT8,
                                        2 * rank.number(),
                                        rank.comm(),
                                        rank.stream())),
                new Disagreement("messages cut differently", "ranks cut messages differently", rank -> {
                    if (rank.number() == 0) {
                        grouped(rank, () -> {
                            message(rank, 0, 3);
                            message(rank, 1, 3);
                        });
                    } else {
                        message(rank, 0, 3);
                    }
                }),
                new Disagreement(
                        "length of a message", "sends 3 of type 0;", rank -> message(rank, 0, 3 + rank.number())));
    }

    /** The work holds its stream until the communicator is aborted, as the real one does. */
    @ParameterizedTest
    @MethodSource("disagreements")
    void disagreement_isAFault_andFailsTheCommunicatorOnAllRanks(Disagreement disagreement) {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(Shared.NCCL, 2)) {
            ranks.succeed(disagreement.program);
            List<RuntimeException> states = ranks.run(rank -> {
                while (true) {
                    rank.setup().asyncError(rank.comm());
                    Thread.onSpinWait();
                }
            });
            assertThat(states)
                    .allSatisfy(each -> assertThat(each)
                            .isInstanceOfSatisfying(
                                    NcclException.class,
                                    e -> assertThat(e.result()).isEqualTo(NcclResult.INVALID_USAGE)));
            assertThat(ranks.nccl().faults()).anyMatch(each -> each.contains(disagreement.fault));
            ranks.succeed(rank -> rank.setup().abort(rank.comm()));
            ranks.succeed(NcclDoubleRanks.Rank::synchronize);
        }
    }

    @Test
    void threadThatIsNotTheGroups_isAFault() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(Shared.NCCL, 1)) {
            ranks.succeed(rank -> {
                rank.calls().groupStart();
                sum(rank);
                CompletableFuture<Void> other = CompletableFuture.runAsync(
                        () -> broadcast(rank, 1, NcclType.INT8, 0), Thread.ofPlatform()::start);
                assertThatThrownBy(other::join)
                        .rootCause()
                        .hasMessageContaining("another thread has calls of that communicator in an open group");
                CompletableFuture<Void> ended =
                        CompletableFuture.runAsync(() -> rank.calls().groupEnd(), Thread.ofPlatform()::start);
                assertThatThrownBy(ended::join).rootCause().hasMessageContaining("this thread has begun no group");
                rank.calls().groupEnd();
                rank.synchronize();
            });
            assertThat(ranks.nccl().faults()).hasSize(2);
        }
    }

    @Test
    void ranksThatDifferInTheSize_isAFault() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.unjoined(Shared.NCCL, 2)) {
            byte[] id = ranks.rank(0).setup().uniqueId();
            List<RuntimeException> thrown =
                    ranks.run(rank -> rank.setup().initRank(2 + rank.number(), id, rank.number()));
            assertThat(thrown).doesNotContainNull().hasOnlyElementsOfType(NcclException.class);
            assertThat(ranks.nccl().faults()).anyMatch(each -> each.contains("ranks differ in the size"));
        }
    }

    @Test
    void averageWhereThereAreNone_isAFault() {
        NcclDouble nccl = NcclDouble.load(NcclDoubleDialect.ONECCL);
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(nccl, 1)) {
            List<RuntimeException> thrown = ranks.run(
                    rank -> reduce(rank, rank.at(0), rank.at(0), 1, NcclType.FLOAT32, NcclOperation.AVG.code(), 0));
            assertThat(thrown.getFirst()).hasMessageContaining("result=INVALID_ARGUMENT (4)");
            assertThat(nccl.faults()).containsExactly("Reduce: there are no averages: rank=0");
        }
    }

    @Test
    void groupThatFails_launchesNothing() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(Shared.NCCL, 1)) {
            List<NcclResult> results = new ArrayList<>();
            ranks.succeed(rank -> {
                rank.calls().groupStart();
                sum(rank);
                assertThatThrownBy(() -> broadcast(rank, 1, NcclType.INT8, 9)).isInstanceOf(NcclException.class);
                assertThatThrownBy(rank.calls()::groupEnd)
                        .isInstanceOfSatisfying(NcclException.class, e -> results.add(e.result()));
            });
            assertThat(results).containsExactly(NcclResult.INVALID_ARGUMENT);
            assertThat(ranks.nccl().launches()).isEmpty();
        }
    }

    @Test
    void waitThatIsTooLong_isAFault_whereATestHasSaidSo() {
        try (NcclDoubleRanks ranks = NcclDoubleRanks.begin(Shared.NCCL, 2)) {
            ranks.nccl().patience(1);
            List<RuntimeException> thrown = new ArrayList<>();
            ranks.run(rank -> {
                        if (rank.number() == 0) {
                            sum(rank);
                        }
                        while (true) {
                            rank.setup().asyncError(rank.comm());
                            Thread.onSpinWait();
                        }
                    })
                    .forEach(thrown::add);
            assertThat(thrown).allSatisfy(each -> assertThat(each).hasMessageContaining("result=TIMEOUT (8)"));
            assertThat(ranks.nccl().faults()).anyMatch(each -> each.startsWith("work waits for other ranks: rank=0"));
        }
    }
}
