package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.rendezvous.MeetingCodec;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import io.reactivecomm.spi.rendezvous.MeetingRounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * The contract of a {@link Meeting}: of a function of MPI, Spark, Flink, Ray or Pekko by which ranks find each other.
 *
 * <pre>{@code
 * class MyMeetingTest extends MeetingContract {
 *     @Override
 *     protected List<Meeting> meetings(int size) {
 *         MyCoordinator coordinator = new MyCoordinator(size);
 *         return IntStream.range(0, size).mapToObj(rank -> Meeting.blocking(rank, size, coordinator.of(rank)::allGather)).toList();
 *     }
 * }
 * }</pre>
 */
public abstract class MeetingContract {

    /** A round that takes longer fails its case. Functions that poll in whole seconds have time enough. */
    protected static final Duration LIMIT = Duration.ofSeconds(30);

    private static final int SIZE = 3;

    /** {@return the meetings of ranks that have not met yet, in rank order} Each call returns the meetings of another job. */
    protected abstract List<Meeting> meetings(int size);

    private static CompletableFuture<List<byte[]>> enter(Meeting meeting, byte[] record) {
        CompletableFuture<List<byte[]>> result = new CompletableFuture<>();
        meeting.allGather(record).subscribe(result::complete, result::completeExceptionally);
        return result;
    }

    private static List<CompletableFuture<List<byte[]>>> enter(List<Meeting> meetings, List<byte[]> records) {
        return IntStream.range(0, meetings.size())
                .mapToObj(rank -> enter(meetings.get(rank), records.get(rank)))
                .toList();
    }

    private static <T> T await(CompletableFuture<T> result) throws Exception {
        return result.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** {@return a record with every value that a byte can have, which differs by rank and round} */
    private static byte[] record(int rank, int round) {
        byte[] record = new byte[Meeting.RECORD_BYTES];
        for (int i = 0; i < record.length; i++) {
            record[i] = (byte) (i + 7 * rank + 31 * round);
        }
        return record;
    }

    private static List<byte[]> records(int size, int round) {
        return IntStream.range(0, size).mapToObj(rank -> record(rank, round)).toList();
    }

    private static void expectRound(List<Meeting> meetings, int round) throws Exception {
        List<byte[]> records = records(meetings.size(), round);
        for (CompletableFuture<List<byte[]>> each : enter(meetings, records)) {
            assertThat(await(each)).as("records of round %d", round).containsExactlyElementsOf(records);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, SIZE})
    void ranksOfSeveralRounds_getAllRecordsInOrder(int size) throws Exception {
        List<Meeting> meetings = meetings(size);
        for (int rank = 0; rank < size; rank++) {
            assertThat(meetings.get(rank).rank()).isEqualTo(rank);
            assertThat(meetings.get(rank).size()).isEqualTo(size);
        }
        for (int round = 0; round < 2 * MeetingRecord.ROUNDS; round++) {
            expectRound(meetings, round);
        }
    }

    @Test
    void lateRank_isAwaitedByTheOthers() throws Exception {
        List<Meeting> meetings = meetings(SIZE);
        List<byte[]> records = records(SIZE, 0);
        List<CompletableFuture<List<byte[]>>> early = enter(meetings.subList(1, SIZE), records.subList(1, SIZE));
        assertThat(early).as("ranks that wait for rank 0").noneMatch(CompletableFuture::isDone);
        CompletableFuture<List<byte[]>> late = enter(meetings.getFirst(), records.getFirst());

        assertThat(await(late)).containsExactlyElementsOf(records);
        for (CompletableFuture<List<byte[]>> each : early) {
            assertThat(await(each)).containsExactlyElementsOf(records);
        }
    }

    /** The program of a rank throws before it joins: the others learn the reason, and may meet again. */
    @Test
    void rankThatThrows_isHeardByAll_andTheyMeetAgain() throws Exception {
        List<Meeting> meetings = meetings(SIZE);
        Mono<Void> told = new MeetingRounds(meetings.get(1)).tell(new RendezvousException("a setting cannot be read"));
        for (int round = 1; round <= MeetingRecord.ROUNDS; round++) {
            List<CompletableFuture<List<byte[]>>> others = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank += 2) {
                others.add(enter(meetings.get(rank), MeetingCodec.encode(new MeetingRecord.Ready(rank, SIZE), round)));
            }
            for (CompletableFuture<List<byte[]>> each : others) {
                assertThat(MeetingCodec.decodeAll(await(each), SIZE, round).get(1))
                        .isEqualTo(new MeetingRecord.Failure(1, SIZE, 1, "a setting cannot be read"));
            }
        }
        told.block(LIMIT);

        expectRound(meetings, MeetingRecord.ROUNDS);
    }

    /** The library gives records of one length only. A function may refuse others, but must neither cut nor pad them. */
    @Test
    void recordOfAnotherLength_arrivesAsItIs_orIsRefused() throws Exception {
        List<byte[]> records = new ArrayList<>(records(SIZE, 0));
        records.set(1, new byte[] {1, 2, 3});
        for (CompletableFuture<List<byte[]>> each : enter(meetings(SIZE), records)) {
            try {
                assertThat(await(each)).containsExactlyElementsOf(records);
            } catch (ExecutionException refused) {
                assertThat(refused.getCause()).as("the refusal").isInstanceOf(Exception.class);
            }
        }
    }

    @Test
    void cancelledRound_givesItsSubscriberNothing_andHoldsNobodyUp() throws Exception {
        List<Meeting> meetings = meetings(SIZE);
        Queue<Object> signals = new ConcurrentLinkedQueue<>();
        for (int rank = 0; rank < SIZE - 1; rank++) {
            Disposable waiting = meetings.get(rank)
                    .allGather(record(rank, 0))
                    .subscribe(signals::add, signals::add, () -> signals.add("complete"));
            waiting.dispose();
        }

        assertThat(signals).as("signals after the cancellation").isEmpty();
        expectRound(meetings(SIZE), 0);
        assertThat(signals).as("signals after the cancellation").isEmpty();
    }
}
