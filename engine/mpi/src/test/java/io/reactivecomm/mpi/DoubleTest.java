package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.testkit.NeedsGcc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The double of MPI itself: it does what MPI does, and finds what is wrong in its use. */
@ExtendWith(NeedsGcc.class)
class DoubleTest {

    private static final int SIZE = 2;

    private static void sum(DoubleRanks.Rank rank, long request) {
        rank.calls()
                .allReduce(
                        rank.at(0),
                        rank.at(512),
                        3,
                        rank.constant(Constant.FLOAT),
                        rank.constant(Constant.SUM),
                        rank.world(),
                        request);
    }

    private static void fill(DoubleRanks.Rank rank) {
        for (int i = 0; i < 3; i++) {
            rank.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, rank.number() + 1 + i);
        }
    }

    @ParameterizedTest
    @EnumSource(DoubleDialect.class)
    void calls_ofBothForms_giveTheirResults(DoubleDialect dialect) {
        try (DoubleRanks ranks = DoubleRanks.begin(dialect, SIZE)) {
            assertThat(ranks.run(rank -> {
                        fill(rank);
                        sum(rank, MpiCalls.BLOCKING);
                        sum(rank, rank.at(1024));
                        rank.await(rank.at(1024));
                        long comm = rank.setup().duplicate(rank.world());
                        rank.setup().free(comm);
                        rank.setup().end();
                    }))
                    .containsOnlyNulls();

            assertThat(ranks.value(0, 128)).isEqualTo(3);
            assertThat(ranks.value(1, 130)).isEqualTo(7);
            assertThat(ranks.meeting().ended()).isEqualTo(SIZE);
        }
    }

    /** A use of MPI that is not allowed. @param fault a part of what is found */
    record Misuse(String name, DoubleDialect dialect, DoubleRanks.Program program, String fault) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Misuse misuse(String name, String fault, DoubleRanks.Program program) {
        return new Misuse(name, DoubleDialect.OPEN_MPI, program, fault);
    }

    private static void reduce(DoubleRanks.Rank rank, int count, Constant type, Constant op, int root) {
        rank.calls()
                .reduce(
                        rank.at(0),
                        rank.at(512),
                        count,
                        rank.constant(type),
                        rank.constant(op),
                        root,
                        rank.world(),
                        MpiCalls.BLOCKING);
    }

    static Stream<Misuse> misuses() {
        List<Misuse> all = new ArrayList<>();
        all.add(misuse("function", "differ in their function", rank -> {
            if (rank.number() == 0) {
                sum(rank, MpiCalls.BLOCKING);
            } else {
                rank.calls().barrier(rank.world(), MpiCalls.BLOCKING);
            }
        }));
        all.add(misuse("blocking with non-blocking", "differ in their function", rank -> {
            if (rank.number() == 0) {
                sum(rank, MpiCalls.BLOCKING);
            } else {
                sum(rank, rank.at(1024));
                rank.await(rank.at(1024));
            }
        }));
        all.add(misuse(
                "type",
                "differ in their type",
                rank -> reduce(rank, 3, rank.number() == 0 ? Constant.FLOAT : Constant.INT32, Constant.SUM, 0)));
        all.add(misuse(
                "operation",
                "differ in their operation",
                rank -> reduce(rank, 3, Constant.FLOAT, rank.number() == 0 ? Constant.SUM : Constant.PROD, 0)));
        all.add(misuse(
                "count",
                "differ in their count",
                rank -> reduce(rank, 3 + rank.number(), Constant.FLOAT, Constant.SUM, 0)));
        all.add(misuse(
                "root", "differ in their root", rank -> reduce(rank, 3, Constant.FLOAT, Constant.SUM, rank.number())));
        all.add(misuse("no such root", "root=2", rank -> reduce(rank, 3, Constant.FLOAT, Constant.SUM, 2)));
        all.add(misuse(
                "operation that is not defined",
                "not defined for that type",
                rank -> reduce(rank, 3, Constant.FLOAT, Constant.BAND, 0)));
        all.add(misuse(
                "buffers of one call",
                "its other buffer",
                rank -> rank.calls()
                        .reduceScatter(
                                rank.at(0),
                                rank.at(4),
                                1,
                                rank.constant(Constant.FLOAT),
                                rank.constant(Constant.SUM),
                                rank.world(),
                                MpiCalls.BLOCKING)));
        all.add(misuse("buffers of two calls", "MPI_Iallreduce", rank -> {
            sum(rank, rank.at(1024));
            rank.calls().broadcast(rank.at(0), 3, rank.constant(Constant.FLOAT), 0, rank.world(), rank.at(1032));
        }));
        all.add(misuse(
                "lengths of a message",
                "has 3 elements of 4 bytes, where 2 of 4 are expected",
                DoubleTest::shortMessage));
        all.add(misuse("freed communicator", "the communicator is none of this process", rank -> {
            long comm = rank.setup().duplicate(rank.world());
            rank.setup().free(comm);
            rank.calls().barrier(comm, MpiCalls.BLOCKING);
        }));
        all.add(misuse("no request", "the request is none of this process", rank -> rank.await(rank.at(1024))));
        all.add(misuse("request that has ended", "the request is none of this process", rank -> {
            rank.calls().barrier(rank.world(), rank.at(1024));
            rank.await(rank.at(1024));
            rank.await(rank.at(1024));
        }));
        all.add(misuse("end with a request", "MPI_Finalize with 1 requests", rank -> {
            rank.calls().barrier(rank.world(), rank.at(1024));
            rank.setup().end();
        }));
        all.add(misuse(
                "group of others", "this rank is not in", rank -> rank.setup().create(List.of(1 - rank.number()), 7)));
        all.add(misuse(
                "no such tag",
                "the tag is none of this process",
                rank -> rank.setup().create(List.of(0, 1), 40_000)));
        all.add(misuse("call after the end", "after MPI_Finalize", rank -> {
            rank.setup().end();
            rank.calls().barrier(rank.world(), MpiCalls.BLOCKING);
        }));
        all.add(misuse("second beginning", "MPI_Init_thread: again=1", DoubleTest::beginAgain));
        for (DoubleDialect dialect : DoubleDialect.values()) {
            all.add(new Misuse(
                    "type of another dialect, " + dialect,
                    dialect,
                    rank -> rank.calls().broadcast(rank.at(0), 1, 0x123, 0, rank.world(), MpiCalls.BLOCKING),
                    "the type is none of this process"));
        }
        return all.stream();
    }

    private static void shortMessage(DoubleRanks.Rank rank) {
        long floats = rank.constant(Constant.FLOAT);
        if (rank.number() == 0) {
            rank.calls().send(rank.at(0), 3, floats, 1, 0, rank.world(), rank.at(1024));
        } else {
            rank.calls().receive(rank.at(0), 2, floats, 0, 0, rank.world(), rank.at(1024));
        }
        rank.await(rank.at(1024));
    }

    private static void beginAgain(DoubleRanks.Rank rank) {
        try {
            int code = (int) rank.process()
                    .library()
                    .function(
                            "MPI_Init_thread",
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG)
                    .invokeExact(0L, 0L, rank.process().library().dialect().threadMultiple(), rank.at(0));
            rank.setup().check("MPI_Init_thread", code);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("misuses")
    void misuse_isFound_andEndsAllCalls(Misuse misuse) {
        DoubleRanks ranks = DoubleRanks.begin(misuse.dialect(), SIZE);

        List<Throwable> failures = ranks.run(misuse.program());

        assertThat(failures).anySatisfy(failure -> assertThat(failure).isInstanceOf(MpiException.class));
        assertThat(ranks.closedWithFaults()).singleElement().asString().contains(misuse.fault());
    }

    @Test
    void errorsThatWouldEndTheProcess_areFound() {
        DoubleMeeting meeting = DoubleMeeting.open(DoubleDialect.OPEN_MPI, 1);
        MpiProcess process = meeting.join(0);
        CompletableFuture<Integer> code = process.call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment place = arena.allocate(8);
                int ignored = (int) process.library()
                        .function(
                                "MPI_Init_thread",
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG)
                        .invokeExact(0L, 0L, 3, place.address());
                return (int) process.library()
                        .function("MPI_Barrier", ValueLayout.JAVA_LONG)
                        .invokeExact(process.setup().world());
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(DoubleRanks.failure(code)).isNull();
        process.worker().close();

        assertThat(code.join()).isNotZero();
        assertThat(meeting.settleWithFaults()).singleElement().asString().contains("no MPI_ERRORS_RETURN");
    }

    @Test
    void rankThatIsStopped_holdsTheOthers_untilItGoesOn() {
        try (DoubleRanks ranks = DoubleRanks.begin(DoubleDialect.MPICH, SIZE)) {
            ranks.meeting().stop(1, true);
            List<CompletableFuture<Boolean>> begun = ranks.begun(rank -> {
                fill(rank);
                sum(rank, MpiCalls.BLOCKING);
                shortOf(rank);
                rank.setup().free(rank.setup().create(List.of(1, 0), 3));
            });
            while (ranks.meeting().blocked() < SIZE) {
                Thread.onSpinWait();
            }
            assertThat(begun).noneMatch(CompletableFuture::isDone);

            ranks.meeting().stop(1, false);

            assertThat(begun)
                    .allSatisfy(each -> assertThat(DoubleRanks.failure(each)).isNull());
            assertThat(ranks.value(1, 128)).isEqualTo(3);
        }
    }

    private static void shortOf(DoubleRanks.Rank rank) {
        long floats = rank.constant(Constant.FLOAT);
        if (rank.number() == 0) {
            rank.calls().send(rank.at(0), 3, floats, 1, 0, rank.world(), rank.at(1024));
        } else {
            rank.calls().receive(rank.at(0), 3, floats, 0, 0, rank.world(), rank.at(1024));
        }
        rank.await(rank.at(1024));
    }

    @Test
    void communicators_areBounded_andAnErrorOnAll() {
        try (DoubleRanks ranks = DoubleRanks.begin(DoubleDialect.STANDARD, SIZE)) {
            ranks.meeting().set(1, 3);

            List<Throwable> failures = ranks.run(rank -> {
                rank.setup().duplicate(rank.world());
                rank.setup().duplicate(rank.world());
            });

            assertThat(failures)
                    .allSatisfy(failure -> assertThat(failure)
                            .isInstanceOf(MpiException.class)
                            .hasMessageContaining("function=MPI_Comm_dup")
                            .hasMessageContaining("Too many communicators (0/1 free on this process)"));
            assertThat(ranks.meeting().communicators()).isEqualTo(SIZE);
        }
    }
}
