package io.reactivecomm.testkit.chain;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.TrainingStep;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One step of one rank: its gradients, what comes back, and how it ends.
 *
 * <p><b>Threads.</b> Any.
 */
final class ChainStep extends BaseSubscriber<Void> implements TrainingStep {

    private static final int STRANGER = -1;

    /** The end of a step. */
    sealed interface End {

        /** It completed. */
        record Done() implements End {}

        /** It failed. */
        record Failed(Throwable error) implements End {}

        /** It was cancelled. */
        record Cancelled() implements End {}
    }

    /** A gradient that has come back, as it was then. */
    record Result(int gradient, long[] elements) {}

    private final int step;
    private final Gathering begun;
    private final List<Gradient> gradients = new ArrayList<>();
    private final SeededRandom dice;
    private final boolean isLeftAtAResult;
    /** The run is cancelled whatever comes, so its backward pass need not end. */
    private final boolean isLeft;
    /** All tensors of this step, with the gradient that each is of. */
    private final Map<Tensor, Integer> tensors = Collections.synchronizedMap(new IdentityHashMap<>());

    private final Queue<Result> results = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<End> end = new CompletableFuture<>();

    ChainStep(ChainPlan plan, int step, int rank, Gathering begun, SeededRandom dice) {
        this.step = step;
        this.begun = begun;
        this.dice = dice;
        this.isLeftAtAResult =
                plan.cuts(step, rank).stream().anyMatch(cut -> cut.moment() == ChainPlan.Moment.AT_THE_FIRST_RESULT);
        this.isLeft = !plan.cuts(step, rank).isEmpty() && !isLeftAtAResult;
        for (int gradient : shuffled(plan.gradients(), dice)) {
            gradients.add(new Gradient(
                    ChainValues.name(gradient), kept(gradient, Tensor.of(ChainValues.of(step, rank, gradient)))));
        }
    }

    private static List<Integer> shuffled(int count, SeededRandom dice) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        dice.shuffle(all);
        return all;
    }

    private Tensor kept(int gradient, Tensor tensor) {
        tensors.put(tensor, gradient);
        return tensor;
    }

    private int gradientOf(Tensor tensor) {
        return Objects.requireNonNull(tensors.get(tensor), "a tensor comes back that is of another step");
    }

    @Override
    public Flux<Gradient> gradients() {
        Flux<Gradient> all = isLeft && dice.percent(50)
                ? Flux.fromIterable(gradients).skipLast(1).concatWith(Flux.never())
                : Flux.fromIterable(gradients);
        return switch (dice.below(6)) {
            case 0 -> all.publishOn(Schedulers.parallel());
            case 1 -> all.subscribeOn(Schedulers.boundedElastic());
            case 2 -> all.delayUntil(each -> allHaveBegun());
            case 3 -> all.delaySubscription(allHaveBegun());
            default -> all;
        };
    }

    /** {@return what completes when all ranks have begun this step: it stands for time, and comes in every run} */
    Mono<Void> allHaveBegun() {
        return begun.all();
    }

    /** {@return the same gradient in memory of its own} */
    Gradient copy(Gradient gradient) {
        return new Gradient(
                gradient.name(),
                kept(gradientOf(gradient.tensor()), Tensor.of(gradient.tensor().toLongArray())));
    }

    /** {@return a gradient that no other rank has} */
    Gradient stranger() {
        return new Gradient("stranger", kept(STRANGER, Tensor.of(new long[1])));
    }

    @Override
    public Mono<Void> takeBack(Gradient reduced) {
        int gradient = gradientOf(reduced.tensor());
        if (gradient != STRANGER) {
            results.add(new Result(gradient, reduced.tensor().toLongArray()));
        }
        if (isLeftAtAResult) {
            leave();
        }
        return Mono.empty();
    }

    @Override
    protected void hookOnError(Throwable error) {
        end.complete(new End.Failed(error));
    }

    @Override
    protected void hookOnComplete() {
        end.complete(new End.Done());
    }

    /** It is cancelled, unless it has ended. */
    void leave() {
        cancel();
        end.complete(new End.Cancelled());
    }

    /** Subscribing to it has thrown. */
    void died(Throwable thrown) {
        end.complete(new End.Failed(thrown));
    }

    int step() {
        return step;
    }

    CompletableFuture<End> end() {
        return end;
    }

    /** {@return whether it has ended by a deadline, for which nothing but a fault of the library's gives cause} */
    boolean hasTimedOut() {
        return end.getNow(new End.Cancelled()) instanceof End.Failed failed
                && failed.error() instanceof CommTimeoutException;
    }

    List<Result> results() {
        return List.copyOf(results);
    }

    List<Tensor> tensors() {
        synchronized (tensors) {
            return List.copyOf(tensors.keySet());
        }
    }
}
