package io.reactivecomm.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.schedule.Example.Kind;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every builder for all ranks of many sizes: transfers pair up, nothing waits in a circle, and each element ends as it should. */
class ScheduleTest {

    private static final int MOST = 64;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void schedule_eachSizeTo64_foldsEachContributionOnceInRankOrder(Kind kind) {
        IntStream.rangeClosed(1, MOST).forEach(size -> Example.all(kind, size).forEach(ScheduleTest::requireResult));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void schedule_of257Ranks_foldsEachContributionOnceInRankOrder(Kind kind) {
        Example.all(kind, 257)
                .filter(example -> example.inPlace() && (example.count() < 2 || (example.count() == 258 && kind != Kind.GATHER_FOLD)))
                .filter(example -> example.count() < 2 || (kind != Kind.ALL_GATHER && kind != Kind.REDUCE_SCATTER))
                .forEach(ScheduleTest::requireResult);
    }

    private static void requireResult(Example example) {
        boolean eager = example.kind().isEagerOnly() || example.size() % 2 == 0;
        List<Schedule> schedules = example.schedules();
        List<SymbolicMemory> memories = example.memories(schedules);
        SymbolicRun run = new SymbolicRun(schedules, memories, eager, SymbolicRun.NOTHING, example.size()).run();
        assertThat(run.isComplete()).as("all steps end: %s", example).isTrue();
        example.verify(memories);
    }

    /** Large transfers wait for their receivers, small ones do not; both go on in worlds of both parities. */
    @ParameterizedTest
    @EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "GATHER_FOLD")
    void schedule_ofEvenSizesWithGrantedSends_ends(Kind kind) {
        for (int size : new int[] {2, 4, 8, 16, 64}) {
            Example.all(kind, size).forEach(example -> {
                List<Schedule> schedules = example.schedules();
                List<SymbolicMemory> memories = example.memories(schedules);
                assertThat(new SymbolicRun(schedules, memories, false, SymbolicRun.NOTHING, size).run().isComplete()).isTrue();
                example.verify(memories);
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void schedule_ofAnyRank_hasTheAlgorithmsNameAndFingerprint(Kind kind) {
        List<Schedule> schedules = new Example(kind, 5, kind == Kind.BARRIER ? 0 : 7, kind.hasRoot() ? 3 : -1, true).schedules();

        assertThat(schedules).extracting(Schedule::algorithm).containsOnly(kind.algorithm.name());
        assertThat(schedules).extracting(Schedule::fingerprint).containsOnly(schedules.getFirst().fingerprint());
    }

    @Test
    void fingerprints_ofAlgorithmsOfOneOperation_differ() {
        assertThat(new GatherFoldAllReduce().schedule(new Place(1, 0, 2, -1)).fingerprint())
                .isNotEqualTo(new RankOrderAllReduce().schedule(new Place(1, 0, 2, -1)).fingerprint());
        assertThat(new DirectReduce().schedule(new Place(1, 0, 2, 0)).fingerprint())
                .isNotEqualTo(new ChainReduce().schedule(new Place(1, 0, 2, 0)).fingerprint());
    }

    @Test
    void barrier_ofAnyRank_comesAfterTheBeginningOfEveryOther() {
        for (int size = 2; size <= 17; size++) {
            Example barrier = new Example(Kind.BARRIER, size, 0, -1, true);
            for (int late = 0; late < size; late++) {
                requireNobodyPasses(barrier, late);
            }
        }
    }

    /** Holds all that a rank sends: then no other rank gets through. */
    private static void requireNobodyPasses(Example barrier, int late) {
        List<Schedule> schedules = barrier.schedules();
        List<SymbolicMemory> memories = barrier.memories(schedules);
        SymbolicRun run = new SymbolicRun(schedules, memories, false, new SymbolicRun.Held(late, SymbolicRun.ALL_STEPS, 0), late).run();
        for (int rank = 0; rank < barrier.size(); rank++) {
            assertThat(run.isComplete(rank)).as("rank %d passes before rank %d of %d", rank, late, barrier.size()).isFalse();
        }
    }

    @Test
    void messages_areOneTransfer() {
        Schedule send = Message.send(3, 10);
        Schedule receive = Message.receive(2, 10);

        assertThat(send.steps()).containsExactly(new Step.Send(3, new Span(Buffer.INPUT, 0, 10), List.of()));
        assertThat(receive.steps()).containsExactly(new Step.Receive(2, new Span(Buffer.OUTPUT, 0, 10), List.of()));
        assertThat(send.fingerprint()).isEqualTo(receive.fingerprint());
    }
}
