package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The contract of a batch of sends and receives: to end whatever the order in which each rank lists them, with results in that order. */
public abstract class BatchContract extends WorldContract {

    private static final int MANY = 1_000;

    /** Each rank sends to and receives from the other, message by message; the second rank lists its calls from the last to the first. */
    @Tag("smoke")
    @ParameterizedTest(name = "count={0}")
    @ValueSource(longs = {0, 5, 5_000})
    void batches_ofManyMessagesInOppositeOrders_end(long count) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Exchange> exchanges = groups.stream()
                    .map(group -> new Exchange(group, count, memory))
                    .toList();
            Collections.reverse(exchanges.get(1).calls);

            List<List<Work>> results = Objects.requireNonNull(Mono.zip(
                            groups.get(0).batch(exchanges.get(0).calls),
                            groups.get(1).batch(exchanges.get(1).calls),
                            List::of)
                    .block(LIMIT));

            assertThat(results).allSatisfy(each -> assertThat(each).hasSize(2 * MANY));
            assertThat(results.get(0)).extracting(Work::operation).startsWith("send", "receive", "send");
            assertThat(results.get(1)).extracting(Work::operation).startsWith("receive", "send", "receive");
            exchanges.forEach(Exchange::verify);
        }
    }

    /** One rank's side. */
    private static final class Exchange {

        private final List<Mono<Work>> calls = new ArrayList<>();
        private final List<Tensor> received = new ArrayList<>();

        private Exchange(ProcessGroup group, long count, GuardedMemory memory) {
            int peer = 1 - group.rank();
            for (int i = 0; i < MANY; i++) {
                Tensor target = memory.tensor(DType.INT32, count);
                received.add(target);
                calls.add(group.send(memory.input(DType.INT32, count, i, 0), peer, i));
                calls.add(group.receive(target, peer, i));
            }
        }

        private void verify() {
            for (int i = 0; i < MANY; i++) {
                StreamEnds.requireContent(received.get(i), i);
            }
        }
    }

    @Test
    void batch_withCallsThatFail_tellsOfAll_onceNoTensorIsBorrowed() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor closed = Tensor.allocate(DType.INT8, 1);
            closed.close();
            List<Tensor> good = IntStream.range(0, 3)
                    .mapToObj(i -> memory.tensor(DType.INT32, 50_000))
                    .toList();
            List<Mono<Work>> calls = List.of(
                    groups.get(0).receive(good.get(0), 1, 0),
                    groups.get(0).send(closed, 1, 1),
                    groups.get(0).send(good.get(1), 1, 2),
                    groups.get(0).receive(good.get(2), 1, 3));
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            groups.get(0).batch(calls).subscribe(ignored -> {}, told::complete);

            end(begin(groups.get(1).receive(memory.tensor(DType.INT8, 1), 0, 1)))
                    .error(InvalidCallException.class);
            end(begin(groups.get(1).receive(memory.tensor(DType.INT32, 1), 0, 2)))
                    .error(MismatchException.class);
            end(begin(groups.get(1).send(good.get(0), 0, 0))).work();
            StreamEnds.settle(groups);
            assertThat(told).isNotDone();
            CompletableFuture<Outcome> last = begin(groups.get(1).send(memory.input(DType.INT32, 50_000, 9, 0), 0, 3));

            assertThat(told.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join())
                    .isInstanceOf(InvalidCallException.class)
                    .satisfies(error ->
                            assertThat(error.getSuppressed()).singleElement().isInstanceOf(MismatchException.class));
            StreamEnds.requireContent(good.get(2), 9);
            end(last).work();
        }
    }

    @Test
    void batch_cancelled_isDetached_andItsCallsRun() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor one = memory.tensor(DType.INT32, 100);
            Tensor other = memory.tensor(DType.INT32, 100_000);

            StepVerifier.create(groups.get(0)
                            .batch(List.of(
                                    groups.get(0).receive(one, 1, 0),
                                    groups.get(0).receive(other, 1, 1))))
                    .thenCancel()
                    .verify(LIMIT);

            end(begin(groups.get(1).send(memory.input(DType.INT32, 100, 4, 0), 0, 0)))
                    .work();
            end(begin(groups.get(1).send(memory.input(DType.INT32, 100_000, 5, 0), 0, 1)))
                    .work();
            memory.awaitRelease();
            StreamEnds.requireContent(one, 4);
            StreamEnds.requireContent(other, 5);
        }
    }

    @Test
    void batch_ofAGroupThatIsAborted_failsOnce() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Mono<Work>> calls = IntStream.range(0, 600)
                    .mapToObj(i -> groups.get(0).send(memory.tensor(DType.INT32, 10_000), 1, i))
                    .toList();
            CompletableFuture<Throwable> told = new CompletableFuture<>();
            groups.get(0).batch(calls).subscribe(ignored -> {}, told::complete);

            groups.get(1).abort("enough");

            assertThat(told.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join())
                    .isInstanceOf(CommException.class)
                    .hasMessageContaining("enough")
                    .satisfies(error -> assertThat(error.getSuppressed()).hasSize(599));
            memory.awaitRelease();
        }
    }
}
