package io.reactivecomm.testkit.group;

import static io.reactivecomm.testkit.group.CompositeContract.error;
import static io.reactivecomm.testkit.group.CompositeContract.start;
import static io.reactivecomm.testkit.group.CompositeContract.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GroupWorld;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Steps of a group: calls are counted in each anew, and who waits for one that another rank left out is told. Messages are in {@link
 * StepMessageContract}: not every engine has any.
 */
public abstract class StepContract extends GroupWorld {

    private static final int CULPRIT = 1;
    private static final int KEPT = 16;

    private static Mono<Long> sum(ProcessGroup group, long value) {
        Tensor tensor = Tensor.of(new long[] {value});
        return group.allReduce(tensor, ReduceOp.SUM)
                .map(work -> tensor.toLongArray()[0])
                .doFinally(end -> tensor.close());
    }

    private static void requireSums(List<ProcessGroup> views) {
        start(views, view -> sum(view, 1))
                .forEach(each -> assertThat(value(each)).isEqualTo(views.size()));
    }

    private static List<ProcessGroup> step(List<ProcessGroup> world, long number) {
        return world.stream().map(group -> group.numbered(number)).toList();
    }

    @Tag("smoke")
    @Test
    void step_beginsWithCountersOfItsOwn_byName() {
        List<ProcessGroup> world = world(2);
        for (int number : new int[] {0, 1, 5}) {
            List<ProcessGroup> views = step(world, number);
            requireSums(views);
            requireSums(views.stream().map(view -> view.named("layer")).toList());
            requireSums(step(world, number));
            requireSums(world);
        }
        requireTogether(world);
    }

    /** The drift program: user code throws between two calls on one rank, and the peers that wait for the second are told by that rank's next step. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void callThatARankLeavesOut_failsOnTheOthers_andShiftsNothing(int culprit) {
        List<ProcessGroup> world = world(3);
        for (int number = 0; number < 3; number++) {
            List<CompletableFuture<Long>> ends = start(
                    step(world, number),
                    view -> sum(view, 1).flatMap(first -> {
                        if (view.rank() == culprit) {
                            throw new IllegalStateException("user code");
                        }
                        return sum(view, first);
                    }));
            assertThat(error(ends.get(culprit))).isInstanceOf(IllegalStateException.class);
            world.get(culprit).numbered(number + 1);
            for (int rank = 0; rank < world.size(); rank++) {
                if (rank != culprit) {
                    assertThat(error(ends.get(rank)))
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("rank " + culprit + " is in scope " + (number + 1)
                                    + " and did not make #1@scope" + number);
                }
            }
        }
        requireSums(step(world, 3));
    }

    @Tag("smoke")
    @Test
    void callOfAStepThatIsOverElsewhere_failsAtOnce() {
        List<ProcessGroup> world = world(2);
        world.get(CULPRIT).numbered(7);
        for (int number = 5; number < 7; number++) {
            assertThat(error(start(step(world.subList(0, 1), number), view -> sum(view, 1))
                            .getFirst()))
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContaining("rank 1 is in scope 7 and did not make #0@scope" + number);
        }
        requireSums(step(world, 7));
    }

    @Test
    void callThatWasAssembledInTime_isWaitedFor() {
        List<ProcessGroup> world = world(2);
        Mono<Long> late = sum(world.get(CULPRIT).numbered(0), 1);
        CompletableFuture<Long> early =
                start(step(world.subList(0, 1), 0), view -> sum(view, 1)).getFirst();
        for (int number = 1; number <= KEPT; number++) {
            requireSums(step(world, number));
        }
        assertThat(late.block(LIMIT)).isEqualTo(2);
        assertThat(value(early)).isEqualTo(2);
    }

    @Test
    void callThatIsSubscribedToTooLate_isRefused_andWhoWaitsForItIsTold() {
        List<ProcessGroup> world = world(2);
        Mono<Long> late = sum(world.get(CULPRIT).numbered(0), 1);
        Mono<Long> composite = world.get(CULPRIT).numbered(0).composite("late").mono(inside -> sum(inside, 1));
        CompletableFuture<Long> early =
                start(step(world.subList(0, 1), 0), view -> sum(view, 1)).getFirst();
        for (int number = 1; number <= KEPT + 1; number++) {
            world.get(CULPRIT).numbered(number);
        }
        assertThat(error(early))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 1 is in scope 17 and no longer knows whether it made #0@scope0");
        for (Mono<Long> each : List.of(late, composite)) {
            assertThatThrownBy(() -> each.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("too late after its scope: number=0, kept=16", "in later scopes");
        }
        requireSums(step(world, 18));
    }

    /** Between its subscription and its way to the engine the subscriber's own code runs, and its program goes on. */
    @Test
    void callSubscribedToInTime_isNotForgotten() {
        List<ProcessGroup> world = world(2);
        Mono<Long> late = sum(world.get(CULPRIT).numbered(0), 1);
        CompletableFuture<Long> early =
                start(step(world.subList(0, 1), 0), view -> sum(view, 1)).getFirst();
        assertThat(late.doOnSubscribe(begun -> {
                            for (int number = 1; number <= KEPT + 1; number++) {
                                world.get(CULPRIT).numbered(number);
                            }
                            requireSums(world);
                        })
                        .block(LIMIT))
                .isEqualTo(2);
        assertThat(value(early)).isEqualTo(2);
    }

    @Test
    void stepsThatFall_andCallsOfOneThatIsOver_areRefused() {
        List<ProcessGroup> world = world(2);
        ProcessGroup over = world.get(0).numbered(3);
        requireSums(step(world, 4));
        assertThatThrownBy(() -> world.get(0).numbered(3))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("numbers of scopes only rise: number=3");
        assertThatThrownBy(() -> world.get(0).named("other").numbered(1)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> world.get(0).numbered(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number=-1");
        assertThatThrownBy(over::barrier)
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("number=3");
        assertThatThrownBy(() -> over.named("x").barrier()).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.composite("late").mono(inside -> Mono.empty()))
                .isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.coalesce(scope -> {})).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.send(closedAfterwards(Tensor.of(new int[1])), 1, 0))
                .isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.receiveAll(1, 0)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.newGroup(0, 1)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> over.broadcastObject("x", 0, String.class)).isInstanceOf(InvalidCallException.class);
        requireSums(step(world, 4));
    }

    @Test
    void compositeInAStep_countsInIt_andIsOneCall() {
        List<ProcessGroup> world = world(3);
        for (int number = 0; number < 2; number++) {
            List<CompletableFuture<Long>> ends = start(
                    step(world, number),
                    view -> view.composite("two sums").mono(inside -> {
                        assertThatThrownBy(() -> inside.numbered(0))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("counts its calls itself: number=0");
                        return sum(inside, 1).flatMap(first -> sum(inside, first));
                    }));
            ends.forEach(each -> assertThat(value(each)).isEqualTo(9));
        }
        requireSums(step(world, 1));
    }

    /** Its calls wait on those that made it; it fails there as a whole, and no body can catch that. */
    @Test
    void compositeThatARankLeavesOut_failsOnTheOthers() {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Long>> ends = start(
                step(world.subList(0, 2), 0),
                view -> view.composite("outer")
                        .mono(inside -> inside.composite("inner")
                                .mono(deep -> sum(deep, 1))
                                .onErrorResume(error -> Mono.just(7L))));
        world.get(2).numbered(1);
        for (CompletableFuture<Long> each : ends) {
            assertThat(error(each))
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContaining("rank 2 is in scope 1 and did not make #0@scope0");
        }
        requireSums(step(world, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void compositeThatGoesOn_whileManyStepsBegin_isOneCallStill(int first) {
        List<ProcessGroup> world = world(2);
        List<Sinks.One<Long>> ready = List.of(Sinks.one(), Sinks.one());
        List<CompletableFuture<Long>> ends = start(
                step(world, 0),
                view -> view.composite("checkpoint")
                        .waitingOnly()
                        .mono(inside -> ready.get(view.rank()).asMono().flatMap(value -> sum(inside, value))));
        for (int number = 1; number <= KEPT + 4; number++) {
            requireSums(step(world, number));
        }
        ready.get(first).tryEmitValue(1L);
        requireSums(step(world, KEPT + 5));
        ready.get(1 - first).tryEmitValue(1L);
        ends.forEach(each -> assertThat(value(each)).isEqualTo(2));
        requireSums(step(world, KEPT + 6));
    }

    @Test
    void groupsThatAreMadeInSteps_areGroupsOfTheirOwn() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> first = group(step(world, 0), 0, 1);
        List<ProcessGroup> second = group(step(world, 1), 0, 1);
        requireTogether(second);
        requireTogether(first);
        requireSums(step(first, 0));
        requireSums(step(world, 1));
        first.forEach(ProcessGroup::close);
        requireTogether(second);
    }

    @Test
    void callSubscribedToAgain_inALaterStep_isOneOfItsOwn() {
        List<ProcessGroup> world = world(2);
        List<Tensor> tensors = world.stream()
                .map(group -> closedAfterwards(Tensor.of(new long[] {1})))
                .toList();
        List<Mono<Long>> sums = step(world, 0).stream()
                .map(view -> view.allReduce(tensors.get(view.rank()), ReduceOp.SUM)
                        .map(work -> tensors.get(view.rank()).toLongArray()[0]))
                .toList();
        for (int number = 1; number < 3; number++) {
            step(world, number);
            long expected = 1L << number;
            sums.stream()
                    .map(CompositeContract::start)
                    .toList()
                    .forEach(each -> assertThat(value(each)).isEqualTo(expected));
        }
        requireSums(step(world, 2));
    }
}
