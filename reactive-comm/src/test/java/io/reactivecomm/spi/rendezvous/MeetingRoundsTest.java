package io.reactivecomm.spi.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Meeting;
import io.reactivecomm.RendezvousException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class MeetingRoundsTest {

    private static final byte[] WORD = MeetingCodec.encode(new MeetingRecord.Ready(1, 2), 1);

    /** A function that keeps what it is given, and ends a round when it is told to. */
    private static final class Kept implements Meeting {

        private final List<byte[]> given = new ArrayList<>();
        private final List<Sinks.One<List<byte[]>>> rounds = new ArrayList<>();
        private boolean isLost;

        @Override
        public int rank() {
            if (isLost) {
                throw new IllegalStateException("no communicator");
            }
            return 1;
        }

        @Override
        public int size() {
            return 2;
        }

        @Override
        public Mono<List<byte[]>> allGather(byte[] own) {
            given.add(own);
            rounds.add(Sinks.one());
            return rounds.getLast().asMono();
        }

        void end(int round) {
            rounds.get(round - 1).tryEmitValue(List.of(WORD, WORD)).orThrow();
        }

        MeetingRecord said(int round) {
            List<byte[]> records = List.of(given.get(round - 1));
            return MeetingCodec.decodeAll(records, 1, round).getFirst();
        }
    }

    private final Kept kept = new Kept();
    private final MeetingRounds rounds = new MeetingRounds(kept);

    private static final RendezvousException PROBLEM = new RendezvousException("no sockets");

    private StepVerifier.FirstStep<List<byte[]>> round() {
        return StepVerifier.create(rounds.allGather(WORD));
    }

    @Test
    void twoRounds_goThrough_andNoThirdIsLeft() {
        round().then(() -> kept.end(1)).expectNextCount(1).verifyComplete();
        round().then(() -> kept.end(2)).expectNextCount(1).verifyComplete();
        round().expectError(RendezvousException.class).verify();

        assertThat(kept.given).containsExactly(WORD, WORD);
        StepVerifier.create(rounds.tell(PROBLEM)).verifyComplete();
    }

    @Test
    void failureBefore_isSaidInBothRounds() {
        StepVerifier.create(rounds.tell(PROBLEM))
                .then(() -> kept.end(1))
                .then(() -> kept.end(2))
                .verifyComplete();

        assertThat(kept.said(1)).isEqualTo(new MeetingRecord.Failure(1, 2, 1, "no sockets"));
        assertThat(kept.said(2)).isEqualTo(new MeetingRecord.Failure(1, 2, 1, "no sockets"));
    }

    @Test
    void failureBetween_isSaidInTheSecond() {
        round().then(() -> kept.end(1)).expectNextCount(1).verifyComplete();
        StepVerifier.create(rounds.tell(PROBLEM)).then(() -> kept.end(2)).verifyComplete();

        assertThat(kept.said(2)).isEqualTo(new MeetingRecord.Failure(1, 2, 1, "no sockets"));
    }

    @Test
    void cancelledRound_isNotCancelled_andTheNextFollowsIt() {
        rounds.allGather(WORD).subscribe().dispose();
        Mono<Void> told = rounds.tell(PROBLEM);
        assertThat(kept.given).hasSize(1);
        round().expectErrorMessage(
                        "no round of this meeting is left: begun=1, underWay=true, givenUp=true; connect again")
                .verify();

        StepVerifier.create(told)
                .then(() -> kept.end(1))
                .then(() -> kept.end(2))
                .verifyComplete();
        assertThat(kept.said(2)).isInstanceOf(MeetingRecord.Failure.class);
    }

    @Test
    void cancelledMeeting_cancelsTheRoundUnderWay_andMakesNoMore() {
        AtomicInteger cancelled = new AtomicInteger();
        Meeting counted = new Meeting() {
            @Override
            public int rank() {
                return kept.rank();
            }

            @Override
            public int size() {
                return kept.size();
            }

            @Override
            public Mono<List<byte[]>> allGather(byte[] own) {
                return kept.allGather(own).doOnCancel(cancelled::incrementAndGet);
            }
        };
        MeetingRounds ending = new MeetingRounds(counted);
        Mono<Void> told = ending.tell(PROBLEM);
        ending.cancel();
        ending.cancel();

        StepVerifier.create(told).verifyComplete();
        assertThat(cancelled).hasValue(1);
        kept.end(1);
        assertThat(kept.given).hasSize(1);
    }

    @Test
    void meetingThatIsOver_cancelsNothing() {
        round().then(() -> kept.end(1)).expectNextCount(1).verifyComplete();
        rounds.cancel();

        StepVerifier.create(rounds.tell(PROBLEM)).verifyComplete();
        round().expectError(RendezvousException.class).verify();
        assertThat(kept.given).hasSize(1);
    }

    @Test
    void firstReason_counts() {
        rounds.tell(PROBLEM);
        rounds.tell(new RendezvousException("later"));
        kept.end(1);

        assertThat(kept.said(2)).isEqualTo(new MeetingRecord.Failure(1, 2, 1, "no sockets"));
    }

    @Test
    void functionThatFailed_isNotCalledAgain() {
        IllegalStateException cause = new IllegalStateException("revoked");
        round().then(() -> kept.rounds.getFirst().tryEmitError(cause))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(RendezvousException.class)
                        .hasMessageContainingAll("round=1 of 2", "revoked")
                        .hasCause(cause))
                .verify();

        StepVerifier.create(rounds.tell(PROBLEM)).verifyComplete();
        assertThat(kept.given).hasSize(1);
    }

    @Test
    void functionThatDoesNotKnowItsPlace_isStillTold() {
        kept.isLost = true;
        rounds.tell(PROBLEM);

        assertThat(kept.said(1)).isEqualTo(new MeetingRecord.Failure(-1, 0, -1, "no sockets"));
    }

    /** The error is the program's own, and asking it for its message throws. */
    @Test
    void functionThatFailsWithAnErrorThatCannotSayWhy_endsTheRound() {
        RuntimeException mute = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("planted");
            }
        };
        round().then(() -> kept.rounds.getFirst().tryEmitError(mute).orThrow())
                .expectErrorMatches(error -> error instanceof RendezvousException
                        && error.getMessage().contains("that does not say why"))
                .verify();
    }
}
