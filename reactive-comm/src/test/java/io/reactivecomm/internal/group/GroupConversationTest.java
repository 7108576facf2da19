package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.composite.Conversations;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** Operations of several calls that fail on one rank by a fault of their own: nobody waits for the rest. */
class GroupConversationTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** {@return an operation of two barriers, of which the one at {@code broken} is never made} */
    private static Mono<Work> twoBarriers(ProcessGroup group, int broken) {
        return ((Conversations) group)
                .converse(
                        "two barriers",
                        talk -> talk.next(() -> barrier(0, broken))
                                .flatMap(first -> talk.next(() -> barrier(1, broken))));
    }

    private static Barrier barrier(int step, int broken) {
        if (step == broken) {
            throw new IllegalStateException("a fault");
        }
        return new Barrier();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void supplierThatThrows_failsTheOperationOnAllRanks(int broken) {
        try (LocalWorld world = ReactiveComm.local(2)) {
            CompletableFuture<Work> other =
                    twoBarriers(world.groups().get(1), -1).toFuture();

            assertThatThrownBy(() -> twoBarriers(world.groups().get(0), broken).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("a fault");
            assertThatThrownBy(() -> Mono.fromFuture(other).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("a fault")
                    .hasMessageContaining("rank=0");
        }
    }

    @Test
    void supplierThatThrows_leavesTheNextOperationInItsPlace() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            CompletableFuture<Work> lost =
                    twoBarriers(world.groups().get(1), -1).toFuture();
            twoBarriers(world.groups().get(0), 0).onErrorComplete().block(LIMIT);
            Mono.fromFuture(lost).onErrorComplete().block(LIMIT);

            CompletableFuture<Work> next =
                    twoBarriers(world.groups().get(1), -1).toFuture();
            Work work = twoBarriers(world.groups().get(0), -1).block(LIMIT);

            assertThat(work).isNotNull();
            assertThat(Mono.fromFuture(next).block(LIMIT)).isNotNull();
        }
    }

    @Test
    void resultThatComesAfterTheOperationHasFailed_isClosed() {
        AtomicReference<@Nullable Subscriber<? super SparseTensor>> body = new AtomicReference<>();
        try (LocalWorld world = ReactiveComm.local(2);
                SparseTensor late = new SparseTensor(Tensor.of(new long[] {0}), Tensor.of(new float[] {1}), 1)) {
            Mono<SparseTensor> result = ((Conversations) world.groups().get(0))
                    .converse(
                            "late",
                            talk -> Mono.fromDirect(subscriber -> {
                                subscriber.onSubscribe(Operators.emptySubscription());
                                body.set(subscriber);
                            }));
            CompletableFuture<SparseTensor> failed = result.toFuture();
            Mono<Work> culprit = ((Conversations) world.groups().get(1))
                    .converse("late", talk -> Mono.error(new IllegalStateException("a fault")));
            assertThatThrownBy(() -> culprit.block(LIMIT)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> Mono.fromFuture(failed).block(LIMIT)).hasMessageContaining("a fault");
            Objects.requireNonNull(body.get()).onNext(late);
            assertThat(late.values().isClosed()).isTrue();
        }
    }
}
