package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages at the leader: calls of two members, and receives from any. Rank 2 receives. */
class LeaderMessagesTest {

    private static final GroupKey WORLD = new GroupKey(0, 0);
    private static final int ANY = -1;
    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 0, "for the test");

    private final List<String> mail = new ArrayList<>();
    private final Leader leader = new Leader(3, 4, Formation.NOBODY, (rank, notice) -> {
        switch (notice) {
            case Notice.Batch batch ->
                batch.places().forEach(place -> mail.add(rank + " begins " + label((NameReference.Paired) place)));
            case Notice.Failed failed ->
                mail.add(rank + " fails " + failed.key().label());
            case Notice.Wanted wanted ->
                mail.add(rank + " Wanted " + wanted.key().label());
            default -> mail.add(rank + " " + notice.getClass().getSimpleName());
        }
    });

    private static String label(NameReference.Paired place) {
        return place.end().label()
                + (place.message().equals(place.end())
                        ? ""
                        : " as " + place.message().label());
    }

    @BeforeEach
    void introduceGroup() {
        for (int rank = 0; rank < 3; rank++) {
            leader.take(rank, new Notice.Introduced(WORLD, List.of(0, 1, 2)), 0);
        }
    }

    private static CallKey.Message key(int source, long number) {
        return new CallKey.Message(0, 0, "", 7, source, 2, number);
    }

    private void ready(int rank, CallKey key, int count) {
        leader.take(
                rank,
                new Notice.Ready(
                        key, 0, new Signature(Operation.MESSAGE, DType.INT8, count, Signature.NO_ROOT, null), ""),
                0);
    }

    private void sends(int source, long number) {
        ready(source, key(source, number), 4);
    }

    private static CallKey.Message stepped(int source, long number) {
        return new CallKey.Message(0, 0, 1, "", 7, source, 2, number, null);
    }

    private void receives(int source, long number) {
        ready(2, key(source, number), 4);
    }

    private List<String> begun() {
        mail.clear();
        leader.announce();
        return mail.stream().filter(each -> each.startsWith("2")).toList();
    }

    @Test
    void message_isAnnouncedToItsTwoEnds() {
        sends(0, 0);
        receives(0, 0);
        leader.announce();
        assertThat(mail).containsExactly("0 begins #0[0→2, tag=7]", "2 begins #0[0→2, tag=7]");
        assertThat(leader.pending()).isZero();
    }

    @Test
    void number_meetsItsOwn_andNoLaterOne() {
        receives(0, 0);
        sends(0, 1);
        assertThat(begun()).isEmpty();
        receives(0, 1);
        assertThat(begun()).containsExactly("2 begins #1[0→2, tag=7]");
        assertThat(leader.pending()).isEqualTo(1);
    }

    @Test
    void endsThatDiffer_fail_andAreForgotten() {
        ready(0, key(0, 0), 4);
        ready(2, key(0, 0), 5);
        assertThat(mail).containsExactly("0 fails #0[0→2, tag=7]", "2 fails #0[0→2, tag=7]");
        leader.take(0, new Notice.Failed(key(0, 0), CAUSE), 0);
        leader.take(2, new Notice.Failed(key(0, 0), CAUSE), 0);
        assertThat(leader.failed()).isZero();
    }

    @Test
    void receiveFromAny_takesTheFirstThatIsReady() {
        sends(1, 0);
        sends(0, 0);
        receives(ANY, 0);
        receives(ANY, 1);
        assertThat(begun())
                .containsExactly(
                        "2 begins #0[any→2, tag=7] as #0[1→2, tag=7]", "2 begins #1[any→2, tag=7] as #0[0→2, tag=7]");
    }

    /** As receives over links: who was posted first takes the message, and the other is for the one after. */
    @Test
    void receiveBehindOneFromAny_isForTheMessageAfter() {
        receives(ANY, 0);
        receives(0, 0);
        sends(0, 0);
        assertThat(begun()).containsExactly("2 begins #0[any→2, tag=7] as #0[0→2, tag=7]");
        sends(0, 1);
        assertThat(begun()).containsExactly("2 begins #0[0→2, tag=7] as #1[0→2, tag=7]");
        receives(0, 1);
        sends(0, 2);
        assertThat(begun()).containsExactly("2 begins #1[0→2, tag=7] as #2[0→2, tag=7]");
    }

    @Test
    void receiveBeforeOneFromAny_takesItsMessage() {
        receives(0, 0);
        receives(ANY, 0);
        sends(0, 0);
        sends(0, 1);
        assertThat(begun()).containsExactly("2 begins #0[0→2, tag=7]", "2 begins #0[any→2, tag=7] as #1[0→2, tag=7]");
    }

    @Test
    void messageThatWasRefused_failsTheReceiveFromAny() {
        receives(ANY, 0);
        leader.take(0, new Notice.Refused(key(0, 0), CAUSE), 0);
        assertThat(mail).contains("2 fails #0[any→2, tag=7]");
        leader.take(2, new Notice.Failed(key(ANY, 0), CAUSE), 0);
        assertThat(leader.failed()).isZero();
        assertThat(leader.pending()).isZero();
    }

    /** Over another engine, as the receiver sees; the receives behind it are for the messages after. */
    @Test
    void messageThatWasSentElsewhere_failsTheReceiveFromAny_andIsCounted() {
        receives(ANY, 0);
        receives(0, 0);
        leader.take(2, new Notice.SentElsewhere(key(0, 0), CAUSE), 0);
        assertThat(mail).containsExactly("2 fails #0[any→2, tag=7]");
        leader.take(2, new Notice.Failed(key(ANY, 0), CAUSE), 0);
        sends(0, 1);
        assertThat(begun()).containsExactly("2 begins #0[0→2, tag=7] as #1[0→2, tag=7]");
        assertThat(leader.failed()).isZero();
    }

    @Test
    void messageThatWasSentElsewhere_failsAReceiveThatComesLater() {
        leader.take(2, new Notice.SentElsewhere(key(0, 0), CAUSE), 0);
        receives(ANY, 0);
        assertThat(mail).containsExactly("2 fails #0[any→2, tag=7]");
    }

    /** Of one that failed its sender's checks both ends say that it does not come. */
    @Test
    void messageThatWasRefused_andSentElsewhere_failsOneReceive() {
        receives(ANY, 0);
        receives(ANY, 1);
        leader.take(0, new Notice.Refused(key(0, 0), CAUSE), 0);
        leader.take(2, new Notice.Failed(key(ANY, 0), CAUSE), 0);
        leader.take(2, new Notice.SentElsewhere(key(0, 0), CAUSE), 0);
        assertThat(mail).containsExactly("2 fails #0[any→2, tag=7]");
        assertThat(leader.pending()).isEqualTo(1);
        assertThat(leader.failed()).isZero();
    }

    @Test
    void receiveFromAny_thatIsGivenUp_leavesNoPlace() {
        receives(ANY, 0);
        leader.take(2, new Notice.Failed(key(ANY, 0), CAUSE), 0);
        sends(0, 0);
        receives(0, 0);
        assertThat(begun()).containsExactly("2 begins #0[0→2, tag=7]");
        assertThat(leader.failed()).isZero();
    }

    /** Rank 2 goes on without its receive, and rank 0 without its send: neither will speak of them again. */
    @Test
    void failedEnds_thatTheOtherRankLeavesOut_areForgotten() {
        sends(0, 0);
        leader.take(0, new Notice.Failed(key(0, 0), CAUSE), 0);
        receives(1, 0);
        leader.take(2, new Notice.Failed(key(1, 0), CAUSE), 0);
        assertThat(leader.failed()).isEqualTo(2);
        leader.take(2, new Notice.LeftOut(key(0, 0), CAUSE), 0);
        leader.take(1, new Notice.LeftOut(key(1, 0), CAUSE), 0);
        assertThat(leader.failed()).isZero();
    }

    /** The last word of who was ready is on its way. */
    @Test
    void failedEnd_whoseRankWasReady_isKeptUntilItsLastWord() {
        sends(0, 0);
        leader.take(2, new Notice.Refused(key(0, 0), CAUSE), 0);
        leader.take(0, new Notice.LeftOut(key(0, 0), CAUSE), 0);
        assertThat(leader.failed()).isEqualTo(1);
        leader.take(0, new Notice.Failed(key(0, 0), CAUSE), 0);
        assertThat(leader.failed()).isZero();
    }

    /** The one that was asked for before has been sent, to whoever receives from any. */
    @Test
    void failureBehindOneFromAny_isAskedForAsTheMessageAfter_andForgottenWithTheStep() {
        ready(2, stepped(ANY, 0), 4);
        leader.take(2, new Notice.Refused(stepped(0, 0), CAUSE), 0);
        ready(0, stepped(0, 0), 4);
        leader.announce();
        mail.clear();
        leader.time(Leader.DISPUTE_NANOS);
        assertThat(mail).containsExactly("0 Wanted #1[0→2, tag=7]@scope1");
        leader.take(0, new Notice.LeftOut(stepped(0, 1), CAUSE), 0);
        assertThat(leader.failed()).isZero();
    }

    @Test
    void rankThatIsNoEnd_isRefused() {
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> sends(2, 0));
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> ready(1, key(0, 0), 4));
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> receives(9, 0));
        Notice elsewhere = new Notice.SentElsewhere(key(0, 0), CAUSE);
        assertThatExceptionOfType(ProtocolException.class)
                .as("said by its sender")
                .isThrownBy(() -> leader.take(0, elsewhere, 0));
    }
}
