package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Programs that close nothing: the machine gets the memory back, and each place is told; and the check of the contracts sees it. */
@Timeout(120)
class DroppedTensorsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MOST_COLLECTIONS = 20;

    private final TensorLeaks.Level before = TensorLeaks.level();

    @BeforeEach
    void watchAll() {
        TensorLeaks.watch(TensorLeaks.Level.ALL);
    }

    @AfterEach
    void watchAsBefore() {
        TensorLeaks.watch(before);
        LeakCheck.forgiveTensorsNeverClosed();
    }

    private static void requireTold(String... frames) {
        for (String frame : frames) {
            for (int i = 0; i < MOST_COLLECTIONS && !isTold(frame); i++) {
                CollectorRuns.all();
            }
            assertThat(TensorLeaks.places()).anyMatch(place -> place.contains(frame));
        }
    }

    private static boolean isTold(String frame) {
        return TensorLeaks.places().stream().anyMatch(place -> place.contains(frame));
    }

    @Test
    void manyLarge_areFreed() {
        long used = NativeHeap.usedBytes();
        for (int i = 0; i < 32; i++) {
            Tensor.allocate(DType.FLOAT32, 1 << 20);
        }
        CollectorRuns.all();
        LeakCheck.requireNativeBytes("bytes outside the heap after 32 tensors of 4 MiB were dropped", used);
    }

    @Test
    void whatTheLibraryHandsOut_isTold() {
        try (LocalWorld world = ReactiveComm.local(2)) {
            receiveAndDrop(world.groups());
            reduceAndDrop(world.groups());
        }
        requireTold("io.reactivecomm.internal.stream.", "io.reactivecomm.internal.composite.");
    }

    private static void receiveAndDrop(List<ProcessGroup> groups) {
        try (Tensor sent = Tensor.of(new float[] {1, 2, 3})) {
            Mono.when(
                            groups.get(0).sendAll(Flux.just(sent), 1, 7),
                            groups.get(1).receiveAll(0, 7))
                    .block(LIMIT);
        }
    }

    private static void reduceAndDrop(List<ProcessGroup> groups) {
        try (SparseTensor rows = new SparseTensor(Tensor.of(new long[] {0}), Tensor.of(new float[] {1}, 1, 1), 3)) {
            Flux.fromIterable(groups)
                    .flatMap(group -> group.sparseAllReduce(rows, ReduceOp.SUM), 2)
                    .blockLast(LIMIT);
        }
    }

    @Test
    void check_ofACaseThatDropsOne_fails() {
        LeakCheck check = LeakCheck.begin();
        Tensor.allocate(DType.FLOAT32, 3);
        check.end(0);
        assertThatThrownBy(LeakCheck::collectAndRequireTensorsClosed)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("DroppedTensorsTest.check_ofACaseThatDropsOne_fails");
        LeakCheck.collectAndRequireTensorsClosed();
    }
}
