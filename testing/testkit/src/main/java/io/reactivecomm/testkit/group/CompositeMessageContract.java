package io.reactivecomm.testkit.group;

import static io.reactivecomm.testkit.group.CompositeContract.error;
import static io.reactivecomm.testkit.group.CompositeContract.start;
import static io.reactivecomm.testkit.group.CompositeContract.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Messages in composite calls: they are numbered in their run, and end with it. */
public abstract class CompositeMessageContract extends GroupWorld {

    private static final int CULPRIT = 1;

    /** Too large to go along with its announcement: its sender waits for the receiver. */
    private static final int LARGE = 1 << 20;

    @Tag("smoke")
    @Test
    void messagesInside_areCountedInTheComposite() {
        List<ProcessGroup> world = world(2);
        for (int run = 0; run < 3; run++) {
            long number = run;
            List<CompletableFuture<Long>> ends = start(
                    world,
                    group -> group.composite("ping").mono(inside -> {
                        Tensor tensor = closedAfterwards(Tensor.of(new long[] {number}));
                        return (group.rank() == 0 ? inside.send(tensor, 1, 3) : inside.receive(tensor, 0, 3))
                                .map(work -> tensor.toLongArray()[0]);
                    }));
            ends.forEach(each -> assertThat(value(each)).isEqualTo(number));
        }
        requireTogether(world);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageThatNobodyTakesOrSends_failsTheComposite(boolean isSent) {
        List<ProcessGroup> world = world(2);
        List<CompletableFuture<Work>> ends = start(
                world,
                group -> group.composite("ping").mono(inside -> {
                    Tensor tensor = closedAfterwards(Tensor.of(new long[] {1}));
                    return group.rank() == CULPRIT
                            ? Mono.<Work>empty()
                            : isSent ? inside.send(tensor, CULPRIT, 3) : inside.receive(tensor, CULPRIT, 3);
                }));
        assertThat(error(ends.get(0))).isInstanceOf(MismatchException.class).hasMessageContaining("is over on a rank");
        ends.get(CULPRIT)
                .handle((value, thrown) -> 0)
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        requireTogether(world);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void streamsInside_areOverBeforeTheComposite(int items) {
        List<ProcessGroup> world = world(2);
        for (int run = 0; run < 20; run++) {
            start(
                            world,
                            group -> group.composite("stream")
                                    .mono(inside -> group.rank() == 0
                                            ? inside.sendAll(
                                                            Flux.range(0, items).map(i -> Tensor.of(new int[] {i})),
                                                            1,
                                                            0)
                                                    .doOnNext(Tensor::close)
                                                    .count()
                                            : inside.receiveAll(0, 0)
                                                    .doOnNext(Tensor::close)
                                                    .count()))
                    .forEach(each -> assertThat(value(each)).isEqualTo(items));
        }
        requireTogether(world);
    }

    /** Its body handles that, and goes on: it has made the receive, which the message's sender is told of, and of nothing else. */
    @Test
    void receiveThatFailsByItself_failsItsMessageAlone() {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Long> receiver = start(world.get(CULPRIT)
                .composite("ping")
                .mono(inside -> inside.timeout(Duration.ofMillis(1))
                        .receive(tensor(1), 0, 3)
                        .map(Work::sequence)
                        .onErrorReturn(-1L)));
        assertThat(value(receiver)).isEqualTo(-1);
        CompletableFuture<Long> sender = start(world.get(0)
                .composite("ping")
                .mono(inside -> inside.send(tensor(LARGE), CULPRIT, 3)
                        .map(Work::sequence)
                        .onErrorReturn(-2L)));
        assertThat(value(sender)).isEqualTo(-2);
        requireTogether(world);
    }

    /** The message that it would have taken is gone; the next receive waits for the next, and there is none. */
    @Test
    void receiveBehindOneThatWasRefused_isForTheNextMessage() {
        List<ProcessGroup> world = world(2);
        Tensor closed = Tensor.of(new long[1]);
        closed.close();
        CompletableFuture<Work> receiver = start(world.get(CULPRIT)
                .composite("ping")
                .mono(inside ->
                        inside.receive(closed, 0, 3).onErrorResume(error -> inside.receive(tensor(LARGE), 0, 3))));
        CompletableFuture<Long> sender = start(world.get(0)
                .composite("ping")
                .mono(inside -> inside.send(tensor(LARGE), CULPRIT, 3)
                        .map(Work::sequence)
                        .onErrorReturn(-2L)));
        assertThat(error(receiver)).isInstanceOf(MismatchException.class).hasMessageContaining("is over on a rank");
        sender.handle((value, thrown) -> 0)
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        requireTogether(world);
    }

    private Tensor tensor(int count) {
        return closedAfterwards(Tensor.of(new long[count]));
    }
}
