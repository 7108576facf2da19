package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.StepView;
import io.reactivecomm.train.TrainingStep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The hooks of data and model parallelism, over ranks whose gradients are ready in different orders. */
public abstract class HookContract extends WorldContract {

    /** More than operators take side by side by themselves: with a limit, ranks that begin at opposite ends would never meet. */
    private static final int MANY = 700;

    /** A framework whose backward pass hands over these gradients, and which remembers what it took back. */
    private final class Framework implements TrainingStep, AutoCloseable {

        private final Map<String, Tensor> gradients = new LinkedHashMap<>();
        private final Queue<String> taken = new ConcurrentLinkedQueue<>();

        Framework with(String name, float... values) {
            gradients.put(name, home().take(Tensor.of(values), home().device(gradients.size())));
            return this;
        }

        @Override
        public Flux<Gradient> gradients() {
            List<Gradient> ready = new ArrayList<>();
            gradients.forEach((name, tensor) -> ready.add(new Gradient(name, tensor)));
            return Flux.fromIterable(ready);
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return Mono.fromRunnable(() -> taken.add(reduced.name()));
        }

        float[] values(String name) {
            return Objects.requireNonNull(gradients.get(name)).toFloatArray();
        }

        @Override
        public void close() {
            gradients.values().forEach(Tensor::close);
        }
    }

    /** Runs a step on every rank. {@return how each ended} */
    private static List<? extends CompletableFuture<?>> begin(
            List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> step) {
        return groups.stream().map(step).toList().stream().map(Mono::toFuture).toList();
    }

    private static void run(List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> step) {
        begin(groups, step).forEach(each -> Mono.fromFuture(each).block(LIMIT));
    }

    private static void requireFailure(CompletableFuture<?> step, Class<? extends Throwable> type, String text) {
        assertThat(step)
                .failsWithin(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOf(type)
                .withMessageContaining(text);
    }

    @Tag("smoke")
    @Test
    void dataParallel_ranksInOppositeOrders_averagesEachByName() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = List.of(new Framework(), new Framework());
        for (int i = 0; i < MANY; i++) {
            int last = MANY - 1 - i;
            frameworks.get(0).with("layer" + i, i, 1);
            frameworks.get(1).with("layer" + last, 3 * last, 2);
        }
        List<GradientHooks> hooks = groups.stream()
                .map(group -> GradientHooks.of(ParallelHooks.dataParallel(group)))
                .toList();
        run(groups, group -> hooks.get(group.rank()).run(frameworks.get(group.rank())));

        for (Framework framework : frameworks) {
            assertThat(framework.taken).hasSize(MANY).doesNotHaveDuplicates();
            for (int i = 0; i < MANY; i++) {
                assertThat(framework.values("layer" + i)).containsExactly(2 * i, 1.5f);
            }
            framework.close();
        }
    }

    @Test
    void steps_oneAfterTheOther_matchStepByStep() {
        List<ProcessGroup> groups = world(3);
        List<Framework> frameworks = groups.stream()
                .map(group -> new Framework().with("a", 1).with("b", 10))
                .toList();
        List<GradientHooks> hooks = groups.stream()
                .map(group -> GradientHooks.of(ParallelHooks.dataParallel(group, ReduceOp.SUM)))
                .toList();
        run(
                groups,
                group -> hooks.get(group.rank())
                        .run(frameworks.get(group.rank()))
                        .repeat(2)
                        .then());

        for (Framework framework : frameworks) {
            assertThat(framework.taken).hasSize(6);
            assertThat(framework.values("a")).containsExactly(27);
            assertThat(framework.values("b")).containsExactly(270);
            framework.close();
        }
    }

    @Test
    void modelThenData_overAMesh_sumsThenAverages() {
        List<ProcessGroup> groups = world(4);
        List<Framework> frameworks = groups.stream()
                .map(group -> shuffled(group.rank(), "a", "b", "c", "d"))
                .toList();
        run(
                groups,
                group -> group.mesh(new Dimension("data", 2), new Dimension("model", 2))
                        .flatMap(mesh -> GradientHooks.of(
                                        ParallelHooks.modelParallel(mesh.axis("model")),
                                        ParallelHooks.dataParallel(mesh.axis("data")))
                                .run(frameworks.get(group.rank()))));

        for (Framework framework : frameworks) {
            for (String name : List.of("a", "b", "c", "d")) {
                // Model groups sum 1 + 10 and 100 + 1000; data groups average the two sums.
                assertThat(framework.values(name)).containsExactly((11 + 1100) / 2f);
            }
            framework.close();
        }
    }

    private Framework shuffled(int rank, String... names) {
        List<String> order = new ArrayList<>(List.of(names));
        Collections.shuffle(order, new Random(rank));
        Framework framework = new Framework();
        order.forEach(name -> framework.with(name, (float) Math.pow(10, rank)));
        return framework;
    }

    @Test
    void twoHooks_overTheSameGroup_areAnError_afterWhichNothingIsBorrowed() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = groups.stream()
                .map(group -> shuffled(group.rank(), "a", "b", "c"))
                .toList();
        // Each gradient is reduced on both ranks before one enters the second hook, whose error stops the calls of the
        // first.
        AtomicInteger left = new AtomicInteger(6);
        Sinks.Empty<Void> reduced = Sinks.empty();
        GradientHook waiting = (gradient, step) -> {
            if (left.decrementAndGet() == 0) {
                reduced.tryEmitEmpty();
            }
            return reduced.asMono().thenReturn(gradient);
        };
        List<? extends CompletableFuture<?>> steps = begin(
                groups,
                group -> GradientHooks.of(
                                ParallelHooks.modelParallel(group), waiting, ParallelHooks.dataParallel(group))
                        .run(frameworks.get(group.rank())));

        steps.forEach(step -> requireFailure(step, InvalidCallException.class, "reduced over the same ranks before"));
        for (Framework framework : frameworks) {
            assertThat(framework.taken).isEmpty();
            assertThat(framework.values("b")).as("reduced once").containsExactly(11);
            framework
                    .gradients
                    .values()
                    .forEach(tensor -> assertThat(tensor.released().toFuture()).isDone());
            framework.close();
        }
    }

    @Test
    void gradient_thatRanksDisagreeAbout_failsTheStepOnBoth_afterTheOthersHaveComeBack() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = List.of(
                new Framework().with("wrong", 1).with("right", 1).with("late", 1),
                new Framework().with("late", 2).with("right", 2).with("wrong", 2, 2));
        List<? extends CompletableFuture<?>> steps = begin(
                groups,
                group -> GradientHooks.of(ParallelHooks.dataParallel(group)).run(frameworks.get(group.rank())));

        steps.forEach(step -> requireFailure(step, MismatchException.class, "wrong"));
        for (Framework framework : frameworks) {
            assertThat(framework.taken).containsExactlyInAnyOrder("right", "late");
            assertThat(framework.values("right")).containsExactly(1.5f);
            framework
                    .gradients
                    .values()
                    .forEach(tensor -> assertThat(tensor.released().toFuture()).isDone());
            framework.close();
        }
    }

    @Test
    void severalErrors_areOneTypedError() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = List.of(
                new Framework().with("a", 1).with("b", 1),
                new Framework().with("b", 2, 2).with("a", 2, 2));
        List<? extends CompletableFuture<?>> steps = begin(
                groups,
                group -> GradientHooks.of(ParallelHooks.dataParallel(group)).run(frameworks.get(group.rank())));

        steps.forEach(step -> requireFailure(step, MismatchException.class, "call="));
        frameworks.forEach(Framework::close);
    }

    @Test
    void unregistered_nothingIsReduced_andAStepThatHasBegunIsNotChanged() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = List.of(new Framework().with("a", 1), new Framework().with("a", 3));
        List<GradientHooks> hooks =
                groups.stream().map(group -> new GradientHooks()).toList();
        List<Disposable> registrations = groups.stream()
                .map(group -> hooks.get(group.rank()).register(ParallelHooks.dataParallel(group)))
                .toList();
        List<? extends CompletableFuture<?>> early =
                begin(groups.subList(0, 1), group -> hooks.get(0).run(frameworks.get(0)));
        registrations.get(0).dispose();
        registrations.get(0).dispose();
        hooks.get(1).run(frameworks.get(1)).block(LIMIT);
        early.forEach(each -> Mono.fromFuture(each).block(LIMIT));
        registrations.get(1).dispose();
        frameworks.forEach(framework -> assertThat(framework.values("a")).containsExactly(2));

        frameworks.get(0).with("b", 5);
        hooks.get(0).run(frameworks.get(0)).block(LIMIT);
        assertThat(frameworks.get(0).taken).containsExactly("a", "a", "b");
        assertThat(frameworks.get(0).values("b")).containsExactly(5);
        frameworks.forEach(Framework::close);
    }

    /** A hook that keeps all gradients of the pass, and reduces them in two calls, as buckets would. */
    private record InTwo(ProcessGroup group, List<Gradient> all) implements GradientHook {

        @Override
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            all.add(gradient);
            return Mono.empty();
        }

        @Override
        public Flux<Gradient> passEnded(StepView step) {
            all.sort(Comparator.comparing(Gradient::name));
            int half = all.size() / 2;
            return Flux.just(List.copyOf(all.subList(0, half)), List.copyOf(all.subList(half, all.size())))
                    .flatMap(part -> step.group()
                            .allReduceCoalesced(
                                    part.stream().map(Gradient::tensor).toList(), ReduceOp.SUM)
                            .thenMany(Flux.fromIterable(part)));
        }

        @Override
        public HookScope scope() {
            return HookScope.of(group);
        }
    }

    @Test
    void hookThatFusesGradients_sumsEach() {
        List<ProcessGroup> groups = world(2);
        List<Framework> frameworks = groups.stream()
                .map(group -> shuffled(group.rank(), "a", "b", "c", "d"))
                .toList();
        run(
                groups,
                group -> GradientHooks.of(new InTwo(group, new ArrayList<>())).run(frameworks.get(group.rank())));

        for (Framework framework : frameworks) {
            assertThat(framework.taken).containsExactlyInAnyOrder("a", "b", "c", "d");
            assertThat(framework.values("c")).containsExactly(11);
            framework.close();
        }
    }

    @Tag("smoke")
    @Test
    void gradient_ofATypeThatHasNoAverage_failsTyped() {
        List<ProcessGroup> groups = world(2);
        Tensor integers = Tensor.allocate(DType.INT32, 3);
        List<? extends CompletableFuture<?>> steps = begin(
                groups,
                group -> Flux.just(new Gradient("counts", integers))
                        .transform(GradientHooks.of(ParallelHooks.dataParallel(group)))
                        .then());

        steps.forEach(step -> requireFailure(step, CommException.class, "INT32"));
        integers.close();
    }
}
