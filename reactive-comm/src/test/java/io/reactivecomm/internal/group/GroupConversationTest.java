package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Conversations;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Operations of several calls that fail on one rank by a fault of their own: nobody waits for the rest. */
class GroupConversationTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** {@return an operation of two barriers, of which the one at {@code broken} is never made} */
    private static Mono<Work> twoBarriers(ProcessGroup group, int broken) {
        return ((Conversations) group).converse("two barriers", talk -> talk.next(() -> barrier(0, broken))
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
            CompletableFuture<Work> other = twoBarriers(world.groups().get(1), -1).toFuture();

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
            CompletableFuture<Work> lost = twoBarriers(world.groups().get(1), -1).toFuture();
            twoBarriers(world.groups().get(0), 0).onErrorComplete().block(LIMIT);
            Mono.fromFuture(lost).onErrorComplete().block(LIMIT);

            CompletableFuture<Work> next = twoBarriers(world.groups().get(1), -1).toFuture();
            Work work = twoBarriers(world.groups().get(0), -1).block(LIMIT);

            assertThat(work).isNotNull();
            assertThat(Mono.fromFuture(next).block(LIMIT)).isNotNull();
        }
    }
}
