package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.nccl.cuda.CudaTensor;
import io.reactivecomm.rcomm.gpu.check.SpinKernel;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;

/**
 * A stream of the program's on which kernels stand for the passes of a network: one for the forward pass, and one for each layer of the backward
 * pass, as long as the layer's share of the parameters says.
 *
 * <p>Buckets record what a gradient waits for when they borrow it, on a thread of theirs: a moment later, when kernels of the layers behind are on
 * the stream already. So a gradient is {@linkplain CudaTensor#on on} a stream of its own, which waits for its layer's kernel and for nothing else.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class ComputeStream implements AutoCloseable {

    private static final int TRIAL_TURNS = 10_000;
    private static final int TRIALS = 5;

    /** The backward pass computes gradients of inputs and of parameters, the forward pass outputs. */
    private static final int BACKWARD_BY_FORWARD = 2;

    private static final double MOST_TURNS = 1e9;

    private final Gpu gpu;
    private final CUstream stream;
    private final SpinKernel kernel;
    private final Variant variant;
    private final int[] turns;

    /** @param parameters of the layers, the last first */
    ComputeStream(Gpu gpu, int device, List<Parameter> parameters, Duration backward, Variant variant) {
        this.gpu = gpu;
        this.variant = variant;
        stream = gpu.stream();
        kernel = gpu.with(() -> new SpinKernel(device));
        double turnsOfAll = backward.toNanos() / nanosOfTurn();
        double count = parameters.stream().mapToLong(Parameter::count).sum();
        turns = parameters.stream()
                .mapToInt(each -> (int) Math.clamp(turnsOfAll * each.count() / count, 1, MOST_TURNS))
                .toArray();
    }

    /** {@return the time of one turn of all threads, of the fastest of some kernels} */
    private double nanosOfTurn() {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < TRIALS; i++) {
            CUevent from = gpu.recorded(stream);
            launch(TRIAL_TURNS);
            CUevent to = gpu.recorded(stream);
            gpu.synchronize(to);
            fastest = Math.min(fastest, gpu.nanos(from, to));
            gpu.destroy(List.of(from, to));
        }
        return Math.max(1, fastest) / (double) TRIAL_TURNS;
    }

    private void launch(int count) {
        gpu.with(() -> {
            kernel.launch(count, stream);
            return true;
        });
    }

    CUstream stream() {
        return stream;
    }

    /** Enqueues both passes. @param ready takes each gradient when its layer is enqueued, or all when the pass is, as the variant is */
    void forwardAndBackward(DeviceClock clock, List<Gradient> gradients, Consumer<Gradient> ready) {
        CUevent last = clock.mark(stream);
        launch(IntStream.of(turns).sum() / BACKWARD_BY_FORWARD);
        last = computed(clock, "forward", last);
        for (int i = 0; i < turns.length; i++) {
            launch(turns[i]);
            last = computed(clock, "backward " + gradients.get(i).name(), last);
            if (variant == Variant.BUCKETS_OVERLAPPED) {
                ready.accept(behind(gradients.get(i)));
            }
        }
        if (variant == Variant.REDUCE_AFTER_BACKWARD) {
            for (int i = 0; i < turns.length; i++) {
                ready.accept(behind(gradients.get(i)));
            }
        }
    }

    private CUevent computed(DeviceClock clock, String name, CUevent from) {
        CUevent to = clock.mark(stream);
        clock.computed(name, from, to);
        return to;
    }

    /** {@return a gradient for calls behind what is on the stream when it is handed over} */
    private Gradient behind(Gradient gradient) {
        return new Gradient(gradient.name(), ((CudaTensor) gradient.tensor()).on(stream));
    }

    @Override
    public void close() {
        gpu.with(() -> {
            kernel.close();
            return true;
        });
    }
}
