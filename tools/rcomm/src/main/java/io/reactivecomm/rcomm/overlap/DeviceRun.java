package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.device.Move;
import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.TrainingStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * One rank's part of one run on a GPU. The passes are kernels that compute as long as they are told, on a stream of the program's; each layer's
 * gradient is a tensor in a bucket, which the library reduces on its own stream while kernels of later layers compute.
 *
 * <p>All of a pass is on its stream long before it is done, and the host waits for nothing but the results. So gradients are handed over at once,
 * and what holds a bucket back until its layers are computed is on the device.
 *
 * <p><b>Bits.</b> Gradients are averaged, from a value that each rank has of its own: from the first step on all have the mean, and keep it.
 */
final class DeviceRun implements AutoCloseable {

    /** What one float of a mean may be off the exact one, as NCCL multiplies by 1/n before it adds: a few roundings a step. */
    private static final float TOLERANCE = 1e-3f;

    private final ProcessGroup group;
    private final OverlapOptions options;
    private final ComputeStream compute;
    private final Gpu gpu;
    private final TimedReducer reducer;
    private final GradientBuckets buckets;
    private final List<Gradient> gradients;
    private final GradientHooks hooks = new GradientHooks();
    private final Scheduler launching;

    private DeviceRun(
            ProcessGroup group,
            Device device,
            Variant variant,
            OverlapOptions options,
            Gpu gpu,
            Scheduler launching,
            Duration backward) {
        this.group = group;
        this.options = options;
        this.gpu = gpu;
        this.launching = launching;
        List<Parameter> parameters = lastLayerFirst(options.widths(), device);
        this.reducer =
                new TimedReducer(parameters.stream().map(each -> gpu.stream()).toList());
        ProcessGroup calls = group.named("gradients." + Names.of(variant));
        BucketOptions whole =
                BucketOptions.DEFAULT.withBucketBytes(options.bucketBytes()).withReducer(reducer);
        this.buckets = GradientBuckets.of(calls, whole).registered(parameters);
        this.gradients = buckets.allocate();
        this.compute = new ComputeStream(gpu, device.index(), parameters, backward, variant);
        hooks.register(buckets);
    }

    /** Opens it, and measures how fast kernels of this GPU compute. */
    static DeviceRun open(
            ProcessGroup group, Device device, Variant variant, OverlapOptions options, Duration backward) {
        Gpu gpu = new Gpu(device.index());
        return new DeviceRun(
                group, device, variant, options, gpu, Schedulers.newSingle("launch-" + group.rank(), true), backward);
    }

    /** {@return the gradients of a network with these widths} */
    private static List<Parameter> lastLayerFirst(int[] widths, Device device) {
        return IntStream.iterate(widths.length - 1, layer -> layer > 0, layer -> layer - 1)
                .mapToObj(layer ->
                        new Parameter("layer" + layer, DType.FLOAT32, device, (widths[layer - 1] + 1L) * widths[layer]))
                .toList();
    }

    /** Runs all steps, and blocks until that is done. {@return those after some for a warm-up, and what they led to} */
    RankRun train() {
        fill();
        int warmUp = options.warmUpSteps();
        List<StepTimes> steps = Flux.range(0, warmUp + options.steps())
                .concatMap(number -> step())
                .skip(warmUp)
                .collectList()
                .blockOptional()
                .orElseThrow();
        return new RankRun(verified(), steps);
    }

    private void fill() {
        for (Gradient gradient : gradients) {
            float[] values = new float[(int) gradient.tensor().count()];
            Arrays.fill(values, group.rank() + 1);
            try (Tensor ofHost = Tensor.of(values)) {
                group.move(List.of(Move.copy(ofHost, gradient.tensor())))
                        .completed()
                        .block();
            }
        }
    }

    private Mono<StepTimes> step() {
        return Mono.fromCallable(() -> {
                    DeviceClock clock = new DeviceClock(gpu, compute.stream());
                    reducer.tell(clock);
                    return clock;
                })
                .subscribeOn(launching)
                .flatMap(clock -> hooks.run(new Pass(clock))
                        .then(Mono.fromCallable(clock::read).subscribeOn(launching))
                        .doFinally(end -> clock.close()));
    }

    /** One step, as hooks see it: nothing is done with what comes back. */
    private final class Pass implements TrainingStep {

        private final DeviceClock clock;

        private Pass(DeviceClock clock) {
            this.clock = clock;
        }

        @Override
        public Flux<Gradient> gradients() {
            return Flux.<Gradient>create(sink -> {
                        compute.forwardAndBackward(clock, gradients, sink::next);
                        sink.complete();
                    })
                    .subscribeOn(launching, false);
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return Mono.empty();
        }
    }

    /** {@return a hash of all gradients, each of which is the mean of what ranks began with} */
    private long verified() {
        float expected = (group.size() + 1) / 2f;
        int hash = 1;
        for (Gradient gradient : gradients) {
            float[] values = gradient.tensor().toFloatArray();
            for (float value : values) {
                if (!(Math.abs(value - expected) <= TOLERANCE)) {
                    throw new CommException("a mean of gradients is wrong: gradient=" + gradient.name() + ", found="
                            + value + ", expected=" + expected + ", rank=" + group.rank()
                            + "; report this as a defect of the engine");
                }
            }
            hash = 31 * hash + Arrays.hashCode(values);
        }
        return Integer.toUnsignedLong(hash);
    }

    /** Ends what it has launched, and frees the buckets. */
    @Override
    public void close() {
        launching.dispose();
        buckets.close();
        compute.close();
        gpu.close();
    }
}
