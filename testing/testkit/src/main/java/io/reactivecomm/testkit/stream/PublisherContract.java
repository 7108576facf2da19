package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The contract of each publisher of a group with its subscriber, whenever that asks, leaves, or does neither: all of its results once, then
 * the end.
 *
 * <p>One matrix: the {@link Subjects} by how their subscriber asks, how it leaves and how they fail, each from the group's loop and from
 * another thread. That no publisher is missing is tested too.
 */
public abstract class PublisherContract extends WorldContract {

    /** Races are tried so often. */
    private static final int TRIES = 8;

    final Stream<Subject> subjects() {
        return Subjects.all().stream();
    }

    /** The moment at which a subscriber asks. */
    private enum Asking {
        AT_ONCE,
        ONE_BY_ONE,
        WHILE_IT_COMES,
        AFTER_IT_CAME
    }

    /** The moment at which a subscriber cancels. */
    private enum Leaving {
        AT_ONCE,
        WHILE_IT_WAITS,
        WHILE_IT_COMES,
        AT_THE_FIRST,
        UNASKED,
        AFTER_THE_END
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("subjects")
    void publisher_askedAtAnyTime_givesAllOnce(Subject subject) {
        List<ProcessGroup> groups = world(2);
        for (Asking asking : Asking.values()) {
            for (SubjectPair.From place : SubjectPair.From.values()) {
                for (int left = asking == Asking.WHILE_IT_COMES ? TRIES : 1; left > 0; left--) {
                    ask(subject, groups, asking, place);
                }
            }
        }
    }

    private static void ask(Subject subject, List<ProcessGroup> groups, Asking asking, SubjectPair.From place) {
        ScriptedSubscriber watched = switch (asking) {
            case AT_ONCE -> ScriptedSubscriber.eager();
            case ONE_BY_ONE -> ScriptedSubscriber.oneByOne();
            case WHILE_IT_COMES, AFTER_IT_CAME -> ScriptedSubscriber.idle();
        };
        try (SubjectPair meeting = new SubjectPair(subject, groups, watched)) {
            meeting.begin(place);
            meeting.beginOther();
            switch (asking) {
                case AT_ONCE, ONE_BY_ONE -> {}
                case WHILE_IT_COMES -> meeting.act(place, () -> watched.ask(Long.MAX_VALUE));
                case AFTER_IT_CAME -> {
                    meeting.settle();
                    assertThat(watched.results())
                            .as("unasked results of %s", subject)
                            .isZero();
                    meeting.act(place, () -> watched.ask(Long.MAX_VALUE));
                }
            }
            meeting.requireAll();
            StreamEnds.settle(groups);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(subject + ", asked " + asking + " from " + place, e);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("subjects")
    void publisher_leftAtAnyTime_tellsNothingMore_andRunsOnIfItIsACall(Subject subject) {
        List<ProcessGroup> groups = subject.isCall() ? world(2) : List.of();
        for (Leaving leaving : Leaving.values()) {
            for (SubjectPair.From place : SubjectPair.From.values()) {
                for (int left = leaving == Leaving.WHILE_IT_COMES ? TRIES : 1; left > 0; left--) {
                    // One that its subscriber can end leaves the other rank in the middle of it.
                    leave(subject, subject.isCall() ? groups : world(2), leaving, place);
                }
            }
        }
    }

    private static void leave(Subject subject, List<ProcessGroup> groups, Leaving leaving, SubjectPair.From place) {
        ScriptedSubscriber watched = switch (leaving) {
            case AT_ONCE -> ScriptedSubscriber.leavingAtOnce();
            case WHILE_IT_WAITS, WHILE_IT_COMES, AFTER_THE_END -> ScriptedSubscriber.eager();
            case AT_THE_FIRST -> ScriptedSubscriber.leavingAtTheFirst();
            case UNASKED -> ScriptedSubscriber.idle();
        };
        try (SubjectPair meeting = new SubjectPair(subject, groups, watched)) {
            meeting.begin(place);
            if (leaving == Leaving.WHILE_IT_WAITS) {
                meeting.act(place, watched::cancel);
            }
            meeting.beginOther();
            switch (leaving) {
                case AT_ONCE, WHILE_IT_WAITS -> {}
                case WHILE_IT_COMES -> meeting.act(place, watched::cancelInHaste);
                case AT_THE_FIRST -> awaitFirst(subject, watched);
                case UNASKED -> {
                    meeting.settle();
                    meeting.act(place, watched::cancel);
                }
                case AFTER_THE_END -> {
                    watched.awaitEnd();
                    meeting.act(place, watched::cancel);
                }
            }
            meeting.settle();
            requireLeft(subject, meeting, leaving);
            if (!subject.isCall()) {
                groups.forEach(ProcessGroup::close);
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(subject + ", left " + leaving + " from " + place, e);
        }
    }

    private static void awaitFirst(Subject subject, ScriptedSubscriber watched) {
        if (subject.fewest() > 0) {
            watched.awaitFirst();
        }
    }

    private static void requireLeft(Subject subject, SubjectPair meeting, Leaving leaving) {
        assertThat(meeting.watched.error()).as("an error").isNull();
        if (subject.isCall()) {
            assertThat(meeting.other.error()).as("the other rank's error").isNull();
        }
        switch (leaving) {
            case AT_ONCE, UNASKED ->
                assertThat(meeting.watched.results()).as("results").isZero();
            case WHILE_IT_WAITS ->
                assertThat(meeting.watched.results()).as("results").isLessThanOrEqualTo(subject.alone());
            case WHILE_IT_COMES ->
                assertThat(meeting.watched.results()).as("results").isLessThanOrEqualTo(subject.most());
            case AT_THE_FIRST ->
                assertThat(meeting.watched.results()).as("results").isEqualTo(Math.min(1, subject.fewest()));
            case AFTER_THE_END ->
                assertThat(meeting.watched.results()).as("results").isBetween(subject.fewest(), subject.most());
        }
    }

    /** It counts as one that cancels: a call runs on, and ranks that need more of what its subscriber can end are notified. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("subjects")
    void subscriber_thatThrowsAsItIsGivenItsSubscription_keepsNoRankWaiting(Subject subject) {
        RuntimeException own = new IllegalStateException("a subscriber's own fault");
        Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(dropped::add);
        try {
            requireEndsWith(subject, world(2), ScriptedSubscriber.throwing(own));
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(dropped)
                .as("what %s dropped", subject)
                .allSatisfy(each -> assertThat(each).isSameAs(own));
    }

    private static void requireEndsWith(Subject subject, List<ProcessGroup> groups, ScriptedSubscriber throwing) {
        try (SubjectPair meeting = new SubjectPair(subject, groups, throwing)) {
            meeting.begin(SubjectPair.From.ELSEWHERE);
            meeting.beginOther();
            meeting.other.awaitEnd();
            if (subject.isCall()) {
                assertThat(meeting.other.error()).as("the other rank's error").isNull();
            }
            StreamEnds.settle(groups);
        }
        all(groups, group -> group.named("after").barrier());
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("subjects")
    void publisher_ofAGroupThatIsAborted_fails_askedOrNot(Subject subject) {
        for (SubjectPair.From place : SubjectPair.From.values()) {
            for (ScriptedSubscriber watched :
                    List.of(ScriptedSubscriber.eager(), ScriptedSubscriber.oneByOne(), ScriptedSubscriber.idle())) {
                List<ProcessGroup> groups = world(2);
                try (SubjectPair meeting = new SubjectPair(subject, groups, watched)) {
                    meeting.begin(place);
                    meeting.act(place, () -> groups.get(1).abort("enough"));
                    requireFails(subject, watched);
                }
                try (SubjectPair meeting = new SubjectPair(subject, groups, ScriptedSubscriber.idle())) {
                    meeting.begin(SubjectPair.From.ELSEWHERE);
                    requireFails(subject, meeting.watched);
                }
            }
        }
    }

    private static void requireFails(Subject subject, ScriptedSubscriber watched) {
        if (!subject.isCall() && !watched.hasEnded()) {
            watched.ask(Long.MAX_VALUE);
        }
        watched.awaitEnd();
        assertThat(watched.error()).as("the error of %s", subject).isInstanceOf(CommException.class);
        assertThat(watched.results()).as("results of %s", subject).isLessThanOrEqualTo(subject.alone());
    }

    final Stream<Subject> calls() {
        return subjects().filter(Subject::isCall);
    }

    /** There is no loop any more that could answer. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void result_thatWasThereBeforeTheWorldEnded_isGivenAfterwards(Subject subject) {
        List<ProcessGroup> groups = world(2);
        try (SubjectPair meeting = new SubjectPair(subject, groups, ScriptedSubscriber.idle())) {
            meeting.begin(SubjectPair.From.ELSEWHERE);
            meeting.beginOther();
            meeting.settle();
            groups.forEach(ProcessGroup::close);
            if (!meeting.watched.hasEnded()) {
                meeting.watched.ask(Long.MAX_VALUE);
            }
            meeting.watched.awaitEnd();
            assertThat(meeting.watched.error()).isNull();
            assertThat(meeting.watched.results()).isBetween(subject.fewest(), subject.most());
        }
    }

    final Stream<Arguments> makers() {
        return Stream.of(
                makes("new group", group -> group.newGroup(0, 1), each -> (ProcessGroup) each),
                makes("split", group -> group.split(0, 0), each -> (ProcessGroup) each),
                makes("split by host", ProcessGroup::splitByHost, each -> (ProcessGroup) each),
                makes("mesh", group -> group.mesh(new Dimension("all", 2)), each -> ((GroupMesh) each).axis("all")));
    }

    private static Arguments makes(
            String name, Function<ProcessGroup, Mono<?>> maker, Function<Object, ProcessGroup> group) {
        return Arguments.of(name, maker, group);
    }

    /** The other rank hears that this one has left. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("makers")
    void group_thatNobodyAskedFor_isLeftWhenItsSubscriberCancels(
            String name, Function<ProcessGroup, Mono<?>> maker, Function<Object, ProcessGroup> group) {
        List<ProcessGroup> groups = world(2);
        ScriptedSubscriber watched = ScriptedSubscriber.idle();
        maker.apply(groups.get(0)).subscribe(watched);
        ProcessGroup made =
                group.apply(Objects.requireNonNull(maker.apply(groups.get(1)).block(LIMIT)));
        StreamEnds.settle(groups);

        watched.cancel();

        assertThat(end(begin(made.barrier())).error(PeerLostException.class)).hasMessageContaining("left");
        assertThat(watched.faults()).isEmpty();
    }

    @Test
    void groups_madeOneAfterTheOther_allCome() {
        requireAllMade(2_000);
    }

    @Test
    @Tag("thorough")
    void groups_madeOneAfterTheOther_allCome_tenTimesAsMany() {
        requireAllMade(20_000);
    }

    /**
     * One rank takes them as they come. The other asks for each on another thread when it has dealt with the one before, which the next may
     * overtake.
     */
    private void requireAllMade(int count) {
        List<ProcessGroup> groups = world(2);
        Mono<Long> prompt = oneAfterTheOther(groups.get(0), count)
                .doOnNext(ProcessGroup::close)
                .count();
        Mono<Long> late = oneAfterTheOther(groups.get(1), count)
                .publishOn(Schedulers.parallel(), 1)
                .doOnNext(ProcessGroup::close)
                .count();
        assertThat(Flux.merge(prompt, late).collectList().block(LIMIT)).containsExactly((long) count, (long) count);
    }

    private static Flux<ProcessGroup> oneAfterTheOther(ProcessGroup parent, int count) {
        return Flux.range(0, count).concatMap(i -> parent.newGroup(0, 1));
    }
}
