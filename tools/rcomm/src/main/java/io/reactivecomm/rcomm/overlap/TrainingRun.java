package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.codec.NamedReduction;
import io.reactivecomm.samples.programs.train.Batches;
import io.reactivecomm.samples.programs.train.Digits;
import io.reactivecomm.samples.programs.train.LayerTensors;
import io.reactivecomm.samples.programs.train.Mlp;
import io.reactivecomm.samples.programs.train.MlpStep;
import io.reactivecomm.samples.programs.train.ParameterHash;
import io.reactivecomm.samples.programs.train.Share;
import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One rank's part of one run: some hundred steps of data-parallel gradient descent, each recorded.
 *
 * <p>What can hide is what the backward pass leaves time for. The gradients of the last layers fill the first bucket, whose reduction goes on
 * while the layers before them are still being computed; the last bucket begins when the pass has ended, and is always waited for. The next
 * step begins when all parameters are up to date:
 *
 * <pre>
 *   compute   │ forward │ backward 4 │ backward 3 │ backward 2 │ backward 1 │··· exposed ···│ optimizer │
 *   buckets                          ├─ 0: layer 4 ─┤          ├─ 1: layers 3 and 2 ─┤     │
 *                                                                           ├─ 2: layer 1 ─┤
 * </pre>
 *
 * <p>Gradients live in their buckets, so that none is packed and all buckets may be in flight at once.
 */
final class TrainingRun implements AutoCloseable {

    /** Small enough for a dozen layers with ReLU to learn in a steady way. */
    private static final float LEARNING_RATE = 0.1f;

    private final ProcessGroup group;
    private final OverlapOptions options;
    private final Digits data;
    private final Mlp model;
    private final StepRecorder recorder = new StepRecorder();
    private final Disposable.Composite observing = Disposables.composite();
    private final GradientBuckets buckets;
    private final LayerTensors tensors;
    private final GradientHooks hooks = new GradientHooks();
    private final Scheduler compute;
    private final Optional<NamedReduction> reduction;

    TrainingRun(ProcessGroup group, Variant variant, Contents contents, OverlapOptions options, Digits data) {
        this.group = group;
        this.options = options;
        this.data = data;
        this.model = Mlp.random(options.seed(), options.widths());
        this.reduction = Optional.ofNullable(contents.codec()).map(codec -> codec.begin(CodecSettings.DEFAULT));
        ProcessGroup calls =
                group.named("gradients." + Names.of(variant) + "." + contents).algorithm(options.algorithm());
        this.buckets = buckets(calls).registered(lastLayerFirst());
        this.tensors = LayerTensors.of(buckets.allocate());
        this.compute = Schedulers.newSingle("compute-" + group.rank(), true);
        hooks.register(variant.hook());
        hooks.register(buckets);
    }

    private GradientBuckets buckets(ProcessGroup calls) {
        if (reduction.isPresent()) {
            return GradientBuckets.of(
                    calls,
                    bucketOptions()
                            .withReducer(new RecordedReducer(reduction.get().reducer(), recorder::noted)));
        }
        observing.add(calls.observe(new ObservedReductions(recorder)));
        return GradientBuckets.of(calls, bucketOptions());
    }

    private BucketOptions bucketOptions() {
        return BucketOptions.DEFAULT.withBucketBytes(options.bucketBytes()).withScaling(Scaling.SUM);
    }

    private List<Parameter> lastLayerFirst() {
        return model.layers().reversed().stream()
                .map(layer -> new Parameter(layer.name(), DType.FLOAT32, layer.parameters().length))
                .toList();
    }

    /** Trains, and blocks until that is done. {@return the recorded steps, after some for a warm-up, and what they led to} */
    RankRun train() {
        int warmUp = options.warmUpSteps();
        List<StepTimes> steps = Flux.fromStream(batches().limit(warmUp + options.steps()))
                .concatMap(this::step)
                .skip(warmUp)
                .collectList()
                .blockOptional()
                .orElseThrow();
        return new RankRun(ParameterHash.of(model), steps);
    }

    /** {@return the batches of one epoch after the other, without the smaller one at the end of each} */
    private Stream<int[]> batches() {
        return Stream.iterate(options.seed(), seed -> seed + 1)
                .flatMap(seed -> Batches.of(data.count(), options.batch(), seed).stream())
                .filter(batch -> batch.length == options.batch());
    }

    private Mono<StepTimes> step(int[] batch) {
        Share share = Share.of(batch.length, group.rank(), group.size());
        Digits images = data.pick(Arrays.copyOfRange(batch, share.from(), share.to()));
        return recorder.record(
                hooks.run(new MlpStep(model, images, LEARNING_RATE / batch.length, tensors, compute, recorder))
                        .then());
    }

    /** Ends the compute thread and the observing, and frees the buckets and what compression keeps. */
    @Override
    public void close() {
        compute.dispose();
        observing.dispose();
        buckets.close();
        reduction.ifPresent(NamedReduction::close);
    }
}
