package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Messages whose ends go to different engines: both are told in a round trip, and those before and behind are right. */
class MessageDisagreementTest extends StrictWorlds {

    private static final int TAG = 7;

    private final List<Tensor> made = new ArrayList<>();

    /** {@return three elements that go over links, or over the strict double} */
    private Tensor tensor(boolean isOverLinks) {
        Tensor tensor = Tensor.allocate(isOverLinks ? StrictEngine.LEFT_TO_LINKS : DType.INT8, 3);
        made.add(tensor);
        return tensor;
    }

    private Tensor endless() {
        Tensor tensor = Tensor.allocate(DType.INT8, StrictEngine.ENDLESS);
        made.add(tensor);
        return tensor;
    }

    @AfterEach
    void closeTensors() {
        made.forEach(Tensor::close);
        made.clear();
    }

    private static void behind(LocalWorld world) {
        onAll(world.groups(), group -> group.named("behind").barrier());
    }

    private static void requireEngines(Mono<Throwable> end) {
        assertThat(end.block(LIMIT))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("different engines")
                .hasMessageContaining("on strict")
                .hasMessageContaining("on links")
                .hasMessageContaining("0→1, tag=" + TAG);
    }

    private void requireNextRight(ProcessGroup first, ProcessGroup second) {
        requireNextRight(first, second, List.of(true, false, true));
    }

    private void requireNextRight(ProcessGroup first, ProcessGroup second, List<Boolean> areOverLinks) {
        for (boolean isOverLinks : areOverLinks) {
            Mono<Work> sent = begun(first.send(tensor(isOverLinks), 1, TAG));
            assertThat(begun(second.receive(tensor(isOverLinks), 0, TAG)).block(LIMIT))
                    .isNotNull();
            assertThat(sent.block(LIMIT)).isNotNull();
        }
    }

    private void requireMismatch(
            LocalWorld world, UnaryOperator<ProcessGroup> place, boolean isSentOverLinks, boolean isSendFirst) {
        ProcessGroup first = place.apply(world.groups().get(0));
        ProcessGroup second = place.apply(world.groups().get(1));
        Mono<Work> send = first.send(tensor(isSentOverLinks), 1, TAG);
        Mono<Work> receive = second.receive(tensor(!isSentOverLinks), 0, TAG);
        Mono<Throwable> early = begun(error(isSendFirst ? send : receive));
        behind(world);
        Mono<Throwable> late = begun(error(isSendFirst ? receive : send));

        requireEngines(early);
        requireEngines(late);
        requireNextRight(first, second);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void ends_onTwoEngines_areAMismatchOnBoth(boolean isSentOverLinks, boolean isSendFirst) {
        try (LocalWorld world = world(2)) {
            requireMismatch(world, group -> group, isSentOverLinks, isSendFirst);
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void ends_onTwoEngines_inAStep_areAMismatchOnBoth(boolean isSentOverLinks, boolean isSendFirst) {
        try (LocalWorld world = world(2)) {
            requireMismatch(world, group -> group.numbered(3), isSentOverLinks, isSendFirst);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ends_onTwoEngines_inAComposite_failAlone(boolean isSentOverLinks) {
        try (LocalWorld world = world(2)) {
            List<Throwable> errors = onAll(
                    world.groups(),
                    group -> group.composite("two")
                            .mono(inside -> error(
                                    inside.rank() == 0
                                            ? inside.send(tensor(isSentOverLinks), 1, TAG)
                                            : inside.receive(tensor(!isSentOverLinks), 0, TAG))));

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("different engines"));
            requireNextRight(world.groups().get(0), world.groups().get(1));
        }
    }

    /** The first goes over the engine and the second over links, on both ranks; their ends are there in another order. */
    @Test
    void messages_ofOneTagOnTwoEngines_matchByTheirNumbers() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            List<Mono<Work>> sent =
                    List.of(begun(first.send(tensor(false), 1, TAG)), begun(first.send(tensor(true), 1, TAG)));
            behind(world);

            assertThat(begun(second.receive(tensor(false), 0, TAG)).block(LIMIT))
                    .isNotNull();
            assertThat(begun(second.receive(tensor(true), 0, TAG)).block(LIMIT)).isNotNull();
            sent.forEach(each -> assertThat(each.block(LIMIT)).isNotNull());
            requireNextRight(first, second);
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void receiveFromAny_ofAMessageOnAnotherEngine_isAMismatchOnBoth(boolean isSentOverLinks, boolean isSendFirst) {
        try (LocalWorld world = world(3)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            Mono<Work> send = first.send(tensor(isSentOverLinks), 1, TAG);
            Mono<Work> receive = second.receive(tensor(!isSentOverLinks), ProcessGroup.ANY, TAG);
            Mono<Throwable> early = begun(error(isSendFirst ? send : receive));
            behind(world);
            Mono<Throwable> late = begun(error(isSendFirst ? receive : send));

            requireEngines(early);
            requireEngines(late);
            requireNextRight(first, second, List.of(!isSentOverLinks, !isSentOverLinks));
        }
    }

    /** Both messages are here before the end of the first receive is. */
    @Test
    void messagesOverLinks_failOneReceiveFromAnyEach() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            List<Mono<Throwable>> ends = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                ends.add(begun(error(second.receive(tensor(false), ProcessGroup.ANY, TAG))));
            }
            behind(world);
            // On the loop, so that both leave in one turn.
            first.named("turn")
                    .send(tensor(true), 1, 0)
                    .and(second.named("turn").receive(tensor(true), 0, 0))
                    .doOnSuccess(turn -> {
                        for (int i = 0; i < 2; i++) {
                            ends.add(begun(error(first.send(tensor(true), 1, TAG))));
                        }
                    })
                    .block(LIMIT);

            ends.forEach(MessageDisagreementTest::requireEngines);
            requireNextRight(first, second, List.of(false, false));
        }
    }

    /** The first has found a message of rank 2, and is at it. */
    @Test
    void messageOverLinks_failsAReceiveFromAnyThatWaits_andNoneThatRuns() {
        try (LocalWorld world = world(3)) {
            ProcessGroup second = world.groups().get(1);
            Tensor sent = endless();
            Tensor received = endless();
            Mono<Integer> begun = begun(StrictEngine.ENDLESS_BEGUN
                    .asFlux()
                    .filter(rank -> rank == 1)
                    .next());
            Mono<Throwable> runs = begun(error(second.receive(received, ProcessGroup.ANY, TAG)));
            Mono<Throwable> waits = begun(error(second.receive(tensor(false), ProcessGroup.ANY, TAG)));
            Mono<Throwable> paired = begun(error(world.groups().get(2).send(sent, 1, TAG)));
            assertThat(begun.block(LIMIT)).isEqualTo(1);

            requireEngines(begun(error(world.groups().get(0).send(tensor(true), 1, TAG))));
            requireEngines(waits);
            second.abort("enough");
            assertThat(runs.block(LIMIT)).hasMessageContaining("enough");
            assertThat(paired.block(LIMIT)).hasMessageContaining("enough");
        }
    }

    /** Where receives from any have been, numbers alone do not say which receive a message is for. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageOverLinks_behindOneThatAReceiveFromAnyTook_failsTheReceiveThatItIsFor(boolean isSendFirst) {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            Mono<Work> taken = begun(second.receive(tensor(false), ProcessGroup.ANY, TAG));
            assertThat(begun(first.send(tensor(false), 1, TAG)).block(LIMIT)).isNotNull();
            assertThat(taken.block(LIMIT)).isNotNull();
            Mono<Work> send = first.send(tensor(true), 1, TAG);
            Mono<Work> receive = second.receive(tensor(false), 0, TAG);
            Mono<Throwable> early = begun(error(isSendFirst ? send : receive));
            behind(world);
            Mono<Throwable> late = begun(error(isSendFirst ? receive : send));

            requireEngines(early);
            requireEngines(late);
            requireNextRight(first, second, List.of(false, false));
        }
    }

    /** The engine hears of it from the sender and, as its opening comes over links, from the receiver: it fails one receive. */
    @Test
    void messageThatWasRefused_failsOneReceiveFromAny() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            Mono<Throwable> early = begun(error(second.receive(tensor(false), ProcessGroup.ANY, TAG)));
            Mono<Work> late = begun(second.receive(tensor(false), ProcessGroup.ANY, TAG));
            behind(world);
            Tensor closed = tensor(true);
            closed.close();

            assertThat(begun(error(first.send(closed, 1, TAG))).block(LIMIT)).isInstanceOf(InvalidCallException.class);
            assertThat(early.block(LIMIT)).isInstanceOf(InvalidCallException.class);
            behind(world);
            assertThat(begun(first.send(tensor(false), 1, TAG)).block(LIMIT)).isNotNull();
            assertThat(late.block(LIMIT)).isNotNull();
            requireNextRight(first, second, List.of(false, false));
        }
    }

    /** The receive that names the sender has the number of the message that fails, and is for the one after. */
    @Test
    void messageThatWasRefused_leavesAReceiveBehindOneFromAnyAlone() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            Mono<Throwable> any = begun(error(second.receive(tensor(false), ProcessGroup.ANY, TAG)));
            Mono<Work> named = begun(second.receive(tensor(false), 0, TAG));
            behind(world);
            Tensor closed = tensor(true);
            closed.close();

            assertThat(begun(error(first.send(closed, 1, TAG))).block(LIMIT)).isInstanceOf(InvalidCallException.class);
            assertThat(any.block(LIMIT)).isInstanceOf(InvalidCallException.class);
            assertThat(begun(first.send(tensor(false), 1, TAG)).block(LIMIT)).isNotNull();
            assertThat(named.block(LIMIT)).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void receives_ofOneTagOnTwoEngines_oneOfThemFromAny_areRefused(boolean isAnyFirst) {
        try (LocalWorld world = world(2)) {
            ProcessGroup second = world.groups().get(1);
            Mono<Work> early = begun(second.receive(tensor(true), isAnyFirst ? ProcessGroup.ANY : 0, TAG));
            Mono<Throwable> late = begun(error(second.receive(tensor(false), isAnyFirst ? 0 : ProcessGroup.ANY, TAG)));

            assertThat(late.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("engines=[links, strict]")
                    .hasMessageContaining("a tag of their own");
            assertThat(begun(world.groups().get(0).send(tensor(true), 1, TAG)).block(LIMIT))
                    .isNotNull();
            assertThat(early.block(LIMIT)).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, over links", "false, on this engine"})
    void receiveFromAny_thatWaitsInVain_saysForWhat(boolean isOverLinks, String engine) {
        try (LocalWorld world = world(2)) {
            ProcessGroup second = world.groups().get(1).timeout(Duration.ofMillis(200));

            assertThat(begun(error(second.named("grid").receive(tensor(isOverLinks), ProcessGroup.ANY, TAG)))
                            .block(LIMIT))
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("grid")
                    .hasMessageContaining("any→1, tag=" + TAG)
                    .hasMessageContaining("a message from any rank " + engine);
        }
    }

    /** The receive has failed at its deadline: who sends over another engine then does not wait for its own. */
    @Test
    void messageOverLinks_ofAReceiveThatFailedElsewhere_failsWithIt() {
        try (LocalWorld world = world(2)) {
            ProcessGroup second = world.groups().get(1).timeout(Duration.ofMillis(200));
            assertThat(begun(error(second.receive(tensor(false), 0, TAG))).block(LIMIT))
                    .isInstanceOf(CommTimeoutException.class);

            assertThat(begun(error(world.groups().get(0).send(tensor(true), 1, TAG)))
                            .block(LIMIT))
                    .isInstanceOf(CommTimeoutException.class);
        }
    }

    /** The send has failed at its deadline: who receives over links then does not wait for its own. */
    @Test
    void receiveOverLinks_ofAMessageThatFailedElsewhere_failsWithIt() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            assertThat(begun(error(first.timeout(Duration.ofMillis(200)).send(tensor(false), 1, TAG)))
                            .block(LIMIT))
                    .isInstanceOf(CommTimeoutException.class);

            assertThat(begun(error(second.receive(tensor(true), 0, TAG))).block(LIMIT))
                    .isInstanceOf(CommTimeoutException.class)
                    .hasMessageContaining("rank=0");
            requireNextRight(first, second);
        }
    }
}
