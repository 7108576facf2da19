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
        for (boolean isOverLinks : List.of(true, false, true)) {
            Mono<Work> sent = begun(first.send(tensor(isOverLinks), 1, TAG));
            assertThat(begun(second.receive(tensor(isOverLinks), 0, TAG)).block(LIMIT)).isNotNull();
            assertThat(sent.block(LIMIT)).isNotNull();
        }
    }

    private void requireMismatch(LocalWorld world, UnaryOperator<ProcessGroup> place, boolean isSentOverLinks, boolean isSendFirst) {
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
            requireMismatch(world, group -> group.step(3), isSentOverLinks, isSendFirst);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ends_onTwoEngines_inAComposite_failAlone(boolean isSentOverLinks) {
        try (LocalWorld world = world(2)) {
            List<Throwable> errors = onAll(world.groups(), group -> group.composite("two").mono(inside -> error(
                    inside.rank() == 0 ? inside.send(tensor(isSentOverLinks), 1, TAG) : inside.receive(tensor(!isSentOverLinks), 0, TAG))));

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class).hasMessageContaining("different engines"));
            requireNextRight(world.groups().get(0), world.groups().get(1));
        }
    }

    /** The first goes over the engine and the second over links, on both ranks; their ends are there in another order. */
    @Test
    void messages_ofOneTagOnTwoEngines_matchByTheirNumbers() {
        try (LocalWorld world = world(2)) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            List<Mono<Work>> sent = List.of(begun(first.send(tensor(false), 1, TAG)), begun(first.send(tensor(true), 1, TAG)));
            behind(world);

            assertThat(begun(second.receive(tensor(false), 0, TAG)).block(LIMIT)).isNotNull();
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
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void receives_ofOneTagOnTwoEngines_oneOfThemFromAny_areRefused(boolean isAnyFirst) {
        try (LocalWorld world = world(2)) {
            ProcessGroup second = world.groups().get(1);
            Mono<Throwable> early = begun(error(second.timeout(Duration.ofMillis(200)).receive(tensor(true), isAnyFirst ? ProcessGroup.ANY : 0, TAG)));
            Mono<Throwable> late = begun(error(second.receive(tensor(false), isAnyFirst ? 0 : ProcessGroup.ANY, TAG)));

            assertThat(late.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("engines=[links, strict]")
                    .hasMessageContaining("a tag of their own");
            assertThat(early.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, over links", "false, on this engine"})
    void receiveFromAny_thatWaitsInVain_saysForWhat(boolean isOverLinks, String engine) {
        try (LocalWorld world = world(2)) {
            ProcessGroup second = world.groups().get(1).timeout(Duration.ofMillis(200));

            assertThat(begun(error(second.named("grid").receive(tensor(isOverLinks), ProcessGroup.ANY, TAG))).block(LIMIT))
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
            assertThat(begun(error(second.receive(tensor(false), 0, TAG))).block(LIMIT)).isInstanceOf(CommTimeoutException.class);

            assertThat(begun(error(world.groups().get(0).send(tensor(true), 1, TAG))).block(LIMIT)).isInstanceOf(CommTimeoutException.class);
        }
    }
}
