package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.TrainingStep;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The base of the contract of hooks with faults: models that hand gradients over, hooks over a world or a square of ranks, and steps on all ranks. */
public abstract class HookWorld extends GroupWorld {

    static final int COUNT = 3;
    static final int NEVER = -1;
    static final Object DONE = "done";

    /** A hook that changes nothing. */
    static final GradientHook PASSES = (gradient, step) -> Mono.just(gradient);

    /** One rank's steps, each of which hands over as many gradients; what each contributes differs by rank, so that a sum tells who took part. */
    final class Model implements TrainingStep {

        final int rank;
        final List<Tensor> tensors = IntStream.range(0, COUNT)
                .mapToObj(i -> closedAfterwards(home().take(Tensor.of(new long[1]), home().device(i))))
                .toList();
        final AtomicInteger passes = new AtomicInteger();
        final CountDownLatch first = new CountDownLatch(1);
        final CountDownLatch all = new CountDownLatch(COUNT);
        int throwsAt = NEVER;
        int fatalAt = NEVER;
        boolean diesTakingBack;
        int missing = NEVER;
        String layer = "w";
        int neverFrom = NEVER;
        boolean throwsTakingBack;
        boolean throwsAtOnce;
        Runnable beforePass = () -> {};
        Runnable beforeLast = () -> {};

        Model(int rank) {
            this.rank = rank;
        }

        @Override
        public Flux<Gradient> gradients() {
            if (throwsAtOnce) {
                throw new IllegalStateException("planted");
            }
            beforePass.run();
            return Flux.range(0, COUNT + 1)
                    .concatMap(this::handOver, 1)
                    .doOnSubscribe(ignored -> passes.incrementAndGet());
        }

        private Mono<Gradient> handOver(int index) {
            if (index == throwsAt) {
                throw new IllegalStateException("planted");
            }
            if (index == fatalAt) {
                throw new OutOfMemoryError("planted");
            }
            if (index == neverFrom) {
                return Mono.never();
            }
            if (index == COUNT) {
                beforeLast.run();
                return Mono.empty();
            }
            int place = rank % 2 == 0 ? index : COUNT - 1 - index;
            if (place == missing) {
                return Mono.empty();
            }
            Tensor tensor = tensors.get(place);
            try (Tensor own = Tensor.of(new long[] {1L << rank})) {
                home().write(own, tensor);
            }
            return Mono.just(new Gradient(layer + place, tensor));
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            first.countDown();
            all.countDown();
            if (diesTakingBack) {
                throw new OutOfMemoryError("planted");
            }
            return throwsTakingBack ? Mono.error(new IllegalStateException("planted")) : Mono.empty();
        }

        void requireReleased() {
            tensors.forEach(tensor ->
                    assertThat(tensor.released().toFuture()).as("rank " + rank).isDone());
        }

        void requireSums(long sum) {
            tensors.forEach(tensor ->
                    assertThat(tensor.toLongArray()).as("rank " + rank).containsExactly(sum));
        }
    }

    final List<Model> models(List<ProcessGroup> groups) {
        return groups.stream().map(group -> new Model(group.rank())).toList();
    }

    static List<GradientHooks> hooks(List<ProcessGroup> groups, Function<ProcessGroup, List<GradientHook>> making) {
        return groups.stream()
                .map(group -> {
                    GradientHooks hooks = new GradientHooks();
                    making.apply(group).forEach(hooks::register);
                    return hooks;
                })
                .toList();
    }

    static List<GradientHooks> sums(List<ProcessGroup> groups) {
        return hooks(groups, group -> List.of(ParallelHooks.dataParallel(group, ReduceOp.SUM)));
    }

    /** {@return hooks over the rows and the columns of a square of four ranks} */
    static List<GradientHooks> square(List<ProcessGroup> groups, GradientHook between) {
        return square(groups, group -> between, (group, name) -> ParallelHooks.modelParallel(group));
    }

    /** Makes a hook over a group, under a name. */
    interface Reducer {

        GradientHook of(ProcessGroup group, String name);
    }

    static List<GradientHooks> square(
            List<ProcessGroup> groups, Function<ProcessGroup, GradientHook> between, Reducer reducer) {
        List<Mono<GroupMesh>> making = groups.stream()
                .map(group -> group.mesh(new Dimension("row", 2), new Dimension("column", 2)))
                .toList();
        List<GroupMesh> meshes = Objects.requireNonNull(
                Flux.mergeSequential(making, making.size(), 1).collectList().block(LIMIT));
        return hooks(
                groups,
                group -> List.of(
                        reducer.of(meshes.get(group.rank()).axis("row"), "rows"),
                        between.apply(group),
                        reducer.of(meshes.get(group.rank()).axis("column"), "columns")));
    }

    static Mono<Object> end(Mono<?> step) {
        return step.then(Mono.just(DONE)).onErrorResume(Mono::just);
    }

    /** Runs a step on all ranks at once. {@return the error of each, or that it is done} */
    static List<Object> step(List<GradientHooks> hooks, List<Model> models) {
        List<Mono<Object>> all = IntStream.range(0, hooks.size())
                .mapToObj(rank -> end(hooks.get(rank).run(models.get(rank))))
                .toList();
        List<Object> ends = Objects.requireNonNull(
                Flux.mergeSequential(all, all.size(), 1).collectList().block(LIMIT));
        models.forEach(Model::requireReleased);
        return ends;
    }

    static void requireStep(List<GradientHooks> hooks, List<Model> models) {
        for (Model model : models) {
            model.throwsAt = NEVER;
            model.fatalAt = NEVER;
            model.missing = NEVER;
            model.layer = "w";
            model.neverFrom = NEVER;
            model.throwsAtOnce = false;
            model.throwsTakingBack = false;
        }
        assertThat(step(hooks, models)).containsOnly(DONE);
        models.forEach(model -> model.requireSums((1L << models.size()) - 1));
    }

    static void requirePlanted(List<Object> ends, int culprit) {
        for (int rank = 0; rank < ends.size(); rank++) {
            if (rank == culprit) {
                assertThat(ends.get(rank))
                        .isInstanceOf(IllegalStateException.class)
                        .hasToString("java.lang.IllegalStateException: planted");
            } else {
                assertThat(ends.get(rank))
                        .as("rank " + rank)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error).hasMessageContainingAll("planted", "rank=" + culprit));
            }
        }
    }

    /** As {@link #step}, but what ends at once waits for no gradient. */
    static List<Object> endsOf(List<GradientHooks> hooks, List<Model> models) {
        return Objects.requireNonNull(Flux.range(0, models.size())
                .flatMapSequential(rank -> end(hooks.get(rank).run(models.get(rank))), models.size())
                .collectList()
                .block(LIMIT));
    }
}
