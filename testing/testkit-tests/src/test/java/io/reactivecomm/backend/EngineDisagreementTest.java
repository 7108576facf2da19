package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Ranks whose calls under one identity go to different engines: all are told in a round trip, and the next call is right. */
class EngineDisagreementTest {

    /** Far below a call's deadline, which is ten minutes here. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static LocalWorld world(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(size, settings.withBackend("strict"));
    }

    private static <T> List<Signal<T>> ends(LocalWorld world, Function<ProcessGroup, Mono<T>> call) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> call.apply(group).materialize())
                .collectList()
                .block(LIMIT);
    }

    /** On the odd ranks over links, elsewhere on the strict double. */
    private static Mono<Work> mixed(ProcessGroup group) {
        return group.allReduce(Tensor.of(new float[] {1, 2}), isOdd(group) ? ReduceOp.MAX : ReduceOp.SUM);
    }

    private static boolean isOdd(ProcessGroup group) {
        return group.rank() % 2 == 1;
    }

    private static void requireMismatch(List<? extends Signal<?>> ends) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.getThrowable())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("all-reduce(FLOAT32 × 2, SUM) on strict")
                        .hasMessageContaining("all-reduce(FLOAT32 × 2, MAX)"));
    }

    private static void requireNextCallRight(LocalWorld world) {
        for (ReduceOp op : List.of(ReduceOp.SUM, ReduceOp.MAX)) {
            List<Tensor> tensors = world.groups().stream()
                    .map(group -> Tensor.of(new float[] {1}))
                    .toList();
            assertThat(ends(world, group -> group.allReduce(tensors.get(group.rank()), op)))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNull());
            float expected = op == ReduceOp.SUM ? world.groups().size() : 1;
            assertThat(tensors)
                    .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsExactly(expected));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void oneCall_givenToTwoEngines_isAMismatchOnAll(int size) {
        try (LocalWorld world = world(size)) {
            requireMismatch(ends(world, EngineDisagreementTest::mixed));
            requireNextCallRight(world);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lateRank_isToldToo_whicheverEngineItAsks(boolean isOddFirst) {
        try (LocalWorld world = world(3)) {
            List<Mono<Signal<Work>>> early = new ArrayList<>();
            List<Mono<Signal<Work>>> late = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                (isOdd(group) == isOddFirst ? early : late)
                        .add(mixed(group).materialize().cache());
            }
            Mono<List<Signal<Work>>> first = Flux.merge(early).collectList().cache();
            first.subscribe();
            // The early ones have begun: a call of all ranks' over links comes behind them on each loop.
            assertThat(ends(world, group -> group.named("behind").barrier()))
                    .allSatisfy(end -> assertThat(end.getThrowable()).isNull());
            List<Signal<Work>> all =
                    new ArrayList<>(Flux.merge(late).collectList().block(LIMIT));
            all.addAll(first.block(LIMIT));
            requireMismatch(all);
            requireNextCallRight(world);
        }
    }

    @Test
    void rankThatComesAfterTheVerdict_findsItsOwnCallInIt() {
        try (LocalWorld world = world(3)) {
            requireMismatch(Flux.fromIterable(world.groups().subList(0, 2))
                    .flatMap(group -> mixed(group).materialize())
                    .collectList()
                    .block(LIMIT));
            Signal<Work> late = mixed(world.groups().getLast()).materialize().block(LIMIT);

            assertThat(late.getThrowable())
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContaining("rank 2 called all-reduce(FLOAT32 × 2, SUM) on strict");
            requireNextCallRight(world);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void insideAComposite_theCallFailsAlone_andTheBodyMayGoOn(int size) {
        try (LocalWorld world = world(size)) {
            List<Signal<Signal<Work>>> ends = ends(
                    world,
                    group -> group.composite("two")
                            .mono(inside -> mixed(inside)
                                    .materialize()
                                    .flatMap(end -> inside.barrier().thenReturn(end))));
            assertThat(ends).allSatisfy(end -> assertThat(end.getThrowable()).isNull());
            requireMismatch(ends.stream().map(Signal::get).toList());
            requireNextCallRight(world);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void composite_inThePlaceOfAForeignCall_isAMismatchOnAll(boolean isOverLinks) {
        ReduceOp inner = isOverLinks ? ReduceOp.MAX : ReduceOp.SUM;
        try (LocalWorld world = world(3)) {
            List<Signal<Work>> ends = ends(
                    world,
                    group -> isOdd(group)
                            ? group.composite("other")
                                    .mono(inside -> inside.allReduce(Tensor.allocate(DType.FLOAT32, 2), inner))
                            : mixed(group));
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("all-reduce(FLOAT32 × 2, SUM)")
                            .hasMessageContaining("composite other"));
            requireNextCallRight(world);
        }
    }
}
