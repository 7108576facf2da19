package io.reactivecomm.testkit.group;

import static io.reactivecomm.testkit.group.CompositeContract.error;
import static io.reactivecomm.testkit.group.CompositeContract.start;
import static io.reactivecomm.testkit.group.CompositeContract.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Messages and streams in numbered scopes: they are counted in their scope, and a rank that waits for one that is not made there is notified. */
public abstract class StepMessageContract extends GroupWorld {

    private static final int TAG = 3;

    /** Too large to go along with its announcement: its sender waits for the receiver. */
    private static final int LARGE = 1 << 20;

    private Tensor tensor(int count) {
        return closedAfterwards(Tensor.of(new long[count]));
    }

    private void requireMessage(List<ProcessGroup> world, long step, long value) {
        Tensor received = tensor(1);
        Mono<Work> send = world.get(0).numbered(step).send(closedAfterwards(Tensor.of(new long[] {value})), 1, TAG);
        Mono<Work> receive = world.get(1).numbered(step).receive(received, 0, TAG);
        Mono.when(send, receive).block(LIMIT);
        assertThat(received.toLongArray()).containsExactly(value);
    }

    @Tag("smoke")
    @Test
    void messagesOfSteps_meetTheirOwn() {
        List<ProcessGroup> world = world(2);
        for (int step = 0; step < 3; step++) {
            requireMessage(world, step, step);
            requireMessage(world, step, -step);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageThatIsNotSent_failsItsReceive(boolean isOverBefore) {
        List<ProcessGroup> world = world(2);
        requireMessage(world, 0, 5);
        Mono<Work> receive = world.get(1).numbered(0).receive(tensor(1), 0, TAG);
        if (isOverBefore) {
            world.get(0).numbered(1);
        }
        CompletableFuture<Work> waiting = start(receive);
        world.get(0).numbered(1);
        assertThat(error(waiting))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 0 is in scope 1 and did not make a further send, peer=1, tag=3");
        requireMessage(world, 1, 6);
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageThatIsNotReceived_failsItsSend(boolean isOverBefore) {
        List<ProcessGroup> world = world(2);
        requireMessage(world, 0, 5);
        Mono<Work> send = world.get(0).numbered(0).send(tensor(LARGE), 1, TAG);
        if (isOverBefore) {
            world.get(1).numbered(1);
        }
        CompletableFuture<Work> waiting = start(send);
        world.get(1).numbered(1);
        assertThat(error(waiting))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 1 is in scope 1 and did not make a further receive, peer=0, tag=3");
        requireMessage(world, 1, 6);
    }

    @Test
    void messagesThatWereAssembledInTime_areWaitedFor_andNoMore() {
        List<ProcessGroup> world = world(2);
        Mono<Work> lateSend = world.get(0).numbered(0).send(tensor(1), 1, TAG);
        Mono<Work> lateReceive = world.get(1).numbered(0).receive(tensor(LARGE), ProcessGroup.ANY, TAG + 1);
        ProcessGroup receiver = world.get(1).numbered(0);
        CompletableFuture<Work> first = start(receiver.receive(tensor(1), 0, TAG));
        CompletableFuture<Work> second = start(receiver.receive(tensor(1), 0, TAG));
        CompletableFuture<Work> sent = start(world.get(0).numbered(0).send(tensor(LARGE), 1, TAG + 1));
        world.forEach(group -> group.numbered(1));
        requireMessage(world, 1, 9);
        assertThat(first).isNotDone();
        assertThat(sent).isNotDone();
        lateSend.block(LIMIT);
        lateReceive.block(LIMIT);
        value(first);
        value(sent);
        assertThat(error(second))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("did not make a further send");
    }

    /** The receive from any is the first to take one, and so the other is for the second. */
    @Test
    void receiveFromAny_besideOneThatNamesItsSource_countsToo() {
        List<ProcessGroup> world = world(3);
        ProcessGroup receiver = world.get(1).numbered(0);
        CompletableFuture<Work> any = start(receiver.receive(tensor(1), ProcessGroup.ANY, TAG));
        CompletableFuture<Work> named = start(receiver.receive(tensor(1), 0, TAG));
        requireSent(world.get(0).numbered(0));
        world.get(0).numbered(1);
        assertThat(value(any).peer()).isZero();
        assertThat(error(named))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 0 is in scope 1 and did not make a further send");
    }

    private void requireSent(ProcessGroup sender) {
        value(start(sender.send(tensor(1), 1, TAG)));
    }

    @Test
    void receiveFromAny_besideOneWhoseMessageIsLeftOut_waitsForOthers() {
        List<ProcessGroup> world = world(3);
        ProcessGroup receiver = world.get(1).numbered(0);
        CompletableFuture<Work> any = start(receiver.receive(tensor(1), ProcessGroup.ANY, TAG));
        CompletableFuture<Work> named = start(receiver.receive(tensor(1), 0, TAG));
        world.get(0).numbered(1);
        assertThat(error(named)).isInstanceOf(MismatchException.class);
        requireSent(world.get(2).numbered(0));
        assertThat(value(any).peer()).isEqualTo(2);
    }

    /** Between its subscription and its way to the engine the subscriber's own code runs, and its program goes on. */
    @Test
    void messageSubscribedToInTime_isNotForgotten() {
        List<ProcessGroup> world = world(2);
        Mono<Work> late = world.get(0).numbered(0).send(tensor(1), 1, TAG);
        CompletableFuture<Work> received = start(world.get(1).numbered(0).receive(tensor(1), 0, TAG));
        late.doOnSubscribe(begun -> {
                    for (int step = 1; step < 20; step++) {
                        world.get(0).numbered(step);
                    }
                    requireTogether(world);
                })
                .block(LIMIT);
        value(received);
    }

    @Test
    void streamThatIsOver_hidesNoMessageThatIsLeftOut() {
        List<ProcessGroup> world = world(2);
        requireStream(world, 0);
        CompletableFuture<Work> message = start(world.get(1).numbered(0).receive(tensor(1), 0, TAG));
        CompletableFuture<Long> stream =
                start(world.get(1).numbered(0).receiveAll(0, TAG).count());
        world.get(0).numbered(1);
        assertThat(error(message))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("did not make a further send");
        assertThat(error(stream))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("did not make its end of a stream, peer=0, tag=3, stream=1");
        requireStream(world, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {TAG, TAG + 1})
    void streamsThatAreLeftOutCrosswise_fail(int tagBack) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Long> there = start(
                world.get(0).numbered(0).sendAll(Flux.just(tensor(1)), 1, TAG).count());
        CompletableFuture<Long> back = start(world.get(1)
                .numbered(0)
                .sendAll(Flux.just(tensor(1)), 0, tagBack)
                .count());
        world.forEach(group -> group.numbered(1));
        assertThat(error(there)).isInstanceOf(MismatchException.class).hasMessageContaining("rank 1 is in scope 1");
        assertThat(error(back)).isInstanceOf(MismatchException.class).hasMessageContaining("rank 0 is in scope 1");
        requireStream(world, 1);
    }

    /** It makes messages as its items come; so those are waited for as long as it goes on. */
    @Test
    void streamOfAStep_goesOnAfterIt() {
        List<ProcessGroup> world = world(2);
        Sinks.Many<Tensor> items = Sinks.many().unicast().onBackpressureBuffer();
        CompletableFuture<Long> sent = start(world.get(0)
                .numbered(0)
                .sendAll(items.asFlux(), 1, TAG)
                .doOnNext(Tensor::close)
                .count());
        CompletableFuture<List<Integer>> received = start(world.get(1)
                .numbered(0)
                .receiveAll(0, TAG)
                .map(each -> {
                    int value = each.toIntArray()[0];
                    each.close();
                    return value;
                })
                .collectList());
        for (int step = 1; step < 20; step++) {
            long number = step;
            world.forEach(group -> group.numbered(number));
            items.tryEmitNext(Tensor.of(new int[] {step}));
        }
        requireMessage(world, 19, 4);
        items.tryEmitComplete();
        assertThat(value(sent)).isEqualTo(19);
        assertThat(value(received)).hasSize(19).startsWith(1, 2).endsWith(18, 19);
        requireStream(world, 19);
    }

    @Test
    void streamThatIsSubscribedToTooLate_isRefused() {
        List<ProcessGroup> world = world(2);
        Flux<Tensor> sent = world.get(0).numbered(0).sendAll(Flux.just(tensor(1)), 1, TAG);
        Flux<Tensor> received = world.get(1).numbered(0).receiveAll(0, TAG);
        for (int step = 1; step < 20; step++) {
            long number = step;
            world.forEach(group -> group.numbered(number));
        }
        for (Flux<Tensor> each : List.of(sent, received)) {
            assertThat(error(start(each.count())))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("too late after its scope: number=0");
        }
        requireStream(world, 19);
    }

    private void requireStream(List<ProcessGroup> world, long step) {
        Flux<Tensor> sent = world.get(0)
                .numbered(step)
                .sendAll(Flux.range(0, 3).map(i -> Tensor.of(new int[] {i})), 1, TAG)
                .doOnNext(Tensor::close);
        Flux<Tensor> received = world.get(1).numbered(step).receiveAll(0, TAG).doOnNext(Tensor::close);
        assertThat(Flux.merge(sent, received).count().block(LIMIT)).isEqualTo(6);
    }
}
