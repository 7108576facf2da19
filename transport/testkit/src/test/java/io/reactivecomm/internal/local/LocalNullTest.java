package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.GradientBuckets;
import io.reactivecomm.hook.GradientHooks;
import io.reactivecomm.hook.ParallelHooks;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Nothing where something is needed is said at once, in words, where it was given: a step or a call would fail far from there, or wait. */
@SuppressWarnings("NullAway")
class LocalNullTest {

    private static Named<Consumer<ProcessGroup>> what(String name, Consumer<ProcessGroup> call) {
        return Named.of(name, call);
    }

    static Stream<Named<Consumer<ProcessGroup>>> nulls() {
        return Stream.of(
                what("named", group -> group.named(null)),
                what("timeout", group -> group.timeout(null)),
                what("algorithm", group -> group.algorithm(null)),
                what("monitoredBarrier", group -> group.monitoredBarrier(null, true)),
                what("newGroup", group -> group.newGroup((int[]) null)),
                what("batch", group -> group.batch(null)),
                what("batch of", group -> group.batch(Arrays.<Mono<Work>>asList(group.barrier(), null))),
                what("hook's group", group -> ParallelHooks.dataParallel(null)),
                what("hook's reduction", group -> ParallelHooks.dataParallel(group, null)),
                what("register", group -> new GradientHooks().register(null)),
                what("then", group -> ParallelHooks.dataParallel(group).then(null)),
                what("buckets' group", group -> GradientBuckets.average(null)),
                what("buckets' options", group -> GradientBuckets.of(group, null)),
                what("scaling", group -> BucketOptions.DEFAULT.withScaling(null)),
                what("order", group -> BucketOptions.DEFAULT.withOrder(null)));
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nothing_isRefusedAtOnce_inWords(Consumer<ProcessGroup> call) {
        try (LocalWorld world = ReactiveComm.local(1, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT))) {
            List<ProcessGroup> groups = world.groups();
            assertThatNullPointerException()
                    .isThrownBy(() -> call.accept(groups.getFirst()))
                    .withMessageMatching("[a-z].*; (give|leave) .*");
        }
    }
}
