package io.reactivecomm.samples.programs.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Data-parallel training: every rank holds the whole model and computes on its share of each batch.
 *
 * <p>A step of gradient descent, for two layers. The gradient of the last layer is under way while the backward pass works on the one before:
 *
 * <pre>
 *   compute   │ forward │ backward 2 │ backward 1 │· exposed ·│ apply 2 │ apply 1 │
 *   loop                             ├─ all-reduce 2 ─┤
 *                                                 ├─ all-reduce 1 ─┤
 * </pre>
 *
 * <p>A {@link LearningRule} takes the steps: {@link GradientDescent}, unless another is chosen. A step has no deadline of its own, only each call in it, so passes may
 * take their time; one that throws ends the step on all ranks. All ranks add the same bits to the same bits, so their models are bit-equal after each epoch.
 *
 * <p><b>Threads.</b> Forward and backward passes and updates run on one compute thread of this object, one after the other: no layer
 * changes while a pass still reads it. Calls complete on the group's loop, which only takes the time and hands over.
 */
final class DataParallel implements AutoCloseable {

    private final ProcessGroup group;
    private final Mlp model;
    private final Digits.Split data;
    private final TrainOptions options;
    private final LayerTensors tensors;
    private final Scheduler compute;
    private final LearningRule rule;
    private final SentBytes sent;

    /** Training by plain gradient descent, in which each layer's gradient is a call. */
    DataParallel(ProcessGroup group, Mlp model, Digits.Split data, TrainOptions options) {
        this(group, Device.CPU, model, data, options, GradientDescent::byLayer);
    }

    /** @param device where gradients, and parameters before the first step, travel */
    DataParallel(
            ProcessGroup group,
            Device device,
            Mlp model,
            Digits.Split data,
            TrainOptions options,
            LearningRule.Choice choice) {
        this.group = group;
        this.model = model;
        this.data = data;
        this.options = options;
        this.tensors = LayerTensors.allocate(group, device, model.layers());
        this.sent = new SentBytes(group);
        this.compute = Schedulers.newSingle("compute-" + group.rank(), true);
        this.rule = choice.of(new LearningRule.Learner(group, model, tensors, compute));
    }

    /** Trains, and reports after each epoch. The model starts from rank 0's parameters, on every rank. */
    Flux<EpochReport> train() {
        return broadcastParameters().thenMany(Flux.range(1, options.epochs()).concatMap(this::epoch));
    }

    private Mono<Void> broadcastParameters() {
        return Flux.fromIterable(model.layers())
                .flatMap(layer -> group.named(layer.name())
                        .broadcast(tensors.fill(layer, layer.parameters()), 0)
                        .then(tensors.fetch(layer))
                        .thenReturn(layer))
                .publishOn(compute)
                .doOnNext(tensors::load)
                .then();
    }

    private Mono<EpochReport> epoch(int epoch) {
        return Mono.fromSupplier(sent::soFar)
                .flatMap(before -> steps(epoch).timed().flatMap(steps -> {
                    long sentBytes = sent.soFar() - before;
                    Duration exposed = Duration.ofNanos(steps.get());
                    return scores().map(scores -> new EpochReport(
                            epoch, scores.getFirst(), scores.getLast(), steps.elapsed(), exposed, sentBytes));
                }));
    }

    /** {@return the time in communication that compute did not hide, in nanoseconds, over all steps of an epoch} */
    private Mono<Long> steps(int epoch) {
        float learningRate = options.learningRate(epoch);
        Flux<Long> steps = options.steps().isUneven()
                ? Flux.fromIterable(ownBatches(epoch))
                        .concatMap(batch -> step(batch, batch.length * group.size(), learningRate))
                : Flux.fromIterable(Batches.of(data.train().count(), options.batch(), options.seed() + epoch))
                        .concatMap(batch -> step(shareOf(batch), batch.length, learningRate));
        return steps.reduce(0L, Long::sum)
                .flatMap(
                        exposed -> rule.finish(learningRate).then(rule.settle()).thenReturn(exposed));
    }

    /** {@return the batches of images that only this rank sees: more on a higher rank} */
    private List<int[]> ownBatches(int epoch) {
        int images = data.train().count();
        int[] order = Batches.of(images, images, options.seed() + epoch).getFirst();
        Share share = Share.growing(images, group.rank(), group.size());
        int batch = Math.max(1, options.batch() / group.size());
        return IntStream.iterate(share.from(), from -> from < share.to(), from -> from + batch)
                .mapToObj(from -> Arrays.copyOfRange(order, from, Math.min(share.to(), from + batch)))
                .toList();
    }

    private int[] shareOf(int[] batch) {
        Share share = Share.of(batch.length, group.rank(), group.size());
        return Arrays.copyOfRange(batch, share.from(), share.to());
    }

    /** {@return the time in communication that compute did not hide, in nanoseconds} */
    private Mono<Long> step(int[] own, int batch, float learningRate) {
        StepClock clock = new StepClock();
        return rule.step(data.train().pick(own), batch, learningRate, clock)
                .then(Mono.fromSupplier(clock::exposedNanos));
    }

    /** {@return the scores on all training images and on all test images, each rank having looked at its share} */
    private Mono<List<Score>> scores() {
        return Mono.fromCallable(() -> {
                    Score train = shareScore(data.train());
                    Score test = shareScore(data.test());
                    return Tensor.of(new double[] {train.lossSum(), train.correct(), test.lossSum(), test.correct()});
                })
                .subscribeOn(compute)
                .flatMap(sums -> group.named("score")
                        .allReduce(sums, ReduceOp.SUM)
                        .map(work -> sums.toDoubleArray())
                        .doFinally(signal -> sums.close()))
                .map(sums -> List.of(
                        new Score(sums[0], (long) sums[1], data.train().count()),
                        new Score(sums[2], (long) sums[3], data.test().count())));
    }

    private Score shareScore(Digits digits) {
        Share share = Share.of(digits.count(), group.rank(), group.size());
        return model.forward(digits.range(share)).score();
    }

    /** Emits whether all ranks have the same parameters, bit by bit: whether the smallest of their hashes is the greatest. */
    Mono<Boolean> parametersAreBitEqual() {
        return Mono.defer(() -> {
            long hash = ParameterHash.of(model);
            Tensor least = Tensor.of(new long[] {hash});
            Tensor greatest = Tensor.of(new long[] {hash});
            return Mono.zip(
                            group.named("hash.min").allReduce(least, ReduceOp.MIN),
                            group.named("hash.max").allReduce(greatest, ReduceOp.MAX))
                    .map(both -> least.toLongArray()[0] == greatest.toLongArray()[0])
                    .doFinally(signal -> {
                        least.close();
                        greatest.close();
                    });
        });
    }

    /** Ends the compute thread, and frees the tensors and the rule's. Idempotent. */
    @Override
    public void close() {
        compute.dispose();
        rule.close();
        sent.close();
        tensors.close();
    }
}
