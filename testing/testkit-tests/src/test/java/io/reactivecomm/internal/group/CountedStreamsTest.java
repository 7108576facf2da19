package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The counts of messages that a group keeps where there is another engine: those of streams go with the streams, however those end. */
class CountedStreamsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static LocalWorld world() {
        return ReactiveComm.local(
                2, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend("strict"));
    }

    private static int counted(LocalWorld world) {
        return world.groups().stream()
                .mapToInt(group -> ((LinksGroup) group).countedEnds())
                .sum();
    }

    /** Many more than are under way at once. */
    private static void streams(List<ProcessGroup> groups, int tensors, long taken) {
        for (int i = 0; i < 50; i++) {
            Flux<Tensor> source = Flux.range(0, tensors).map(each -> Tensor.allocate(DType.INT32, each));
            Mono<Void> sending =
                    groups.get(0).sendAll(source, 1, 4).doOnNext(Tensor::close).then();
            Mono<Void> receiving = groups.get(1)
                    .receiveAll(0, 4)
                    .take(taken)
                    .doOnNext(Tensor::close)
                    .then();
            Mono.when(sending, receiving).block(LIMIT);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 1})
    void streams_leaveNothing(long taken) {
        try (LocalWorld world = world()) {
            streams(world.groups(), 3, taken);
            awaitNone(world);
            streams(world.groups(), 3, taken);

            awaitNone(world);
        }
    }

    /** The last messages between the ends of a stream follow after its subscribers have been told. */
    private static void awaitNone(LocalWorld world) {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (counted(world) > 0 && System.nanoTime() < until) {
            Flux.fromIterable(world.groups())
                    .flatMap(group -> group.named("told").barrier())
                    .blockLast(LIMIT);
        }
        assertThat(counted(world)).isZero();
    }

    /** What a program names itself is counted as long as its group lives: the next of that name has the next number. */
    @Test
    void messages_areCountedByNameAndTag() {
        try (LocalWorld world = world()) {
            ProcessGroup first = world.groups().get(0);
            ProcessGroup second = world.groups().get(1);
            for (int i = 0; i < 10; i++) {
                try (Tensor sent = Tensor.of(new int[] {i});
                        Tensor received = Tensor.of(new int[1])) {
                    Mono.when(first.send(sent, 1, 3), second.receive(received, 0, 3))
                            .block(LIMIT);
                    assertThat(received.toIntArray()).containsExactly(i);
                }
            }

            // An end on each rank, and the receiver's line.
            assertThat(counted(world)).isEqualTo(3);
        }
    }
}
