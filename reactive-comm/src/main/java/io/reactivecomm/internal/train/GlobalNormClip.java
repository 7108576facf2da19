package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.FloatScan;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.StepView;
import java.util.Comparator;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The hook of one step that limits the norm of all its gradients together. It is the last one that changes gradients, so all ranks have the same ones.
 *
 * <p>Where they have the same bits, as over links, each rank computes the norm alone: in FLOAT64, in the order of names, in lanes of fixed order
 * ({@link FloatScan}). Otherwise rank 0's norm is broadcast.
 *
 * <p><b>Source.</b> Pascanu et al., On the difficulty of training recurrent neural networks, ICML 2013; torch's {@code clip_grad_norm_}, whose quotient has the same
 * term that keeps it finite.
 */
final class GlobalNormClip extends HoldingHook {

    private static final double NO_DIVISION_BY_ZERO = 1e-6;
    private static final String REFUSAL = "a gradient cannot be clipped by the global norm";

    private final double most;
    private final boolean isBroadcast;

    /** @param isBroadcast whether rank 0's norm counts */
    GlobalNormClip(double most, boolean isBroadcast) {
        this.most = most;
        this.isBroadcast = isBroadcast;
    }

    @Override
    public String label() {
        return "clip by global norm";
    }

    @Override
    public Mono<Gradient> apply(Gradient gradient, StepView step) {
        requireReadable(gradient, REFUSAL, "clip on the device, in the optimizer");
        if (!isFloat(gradient)) {
            throw new InvalidCallException(REFUSAL + ": name=" + gradient.name() + ", tensor=" + gradient.tensor()
                    + ", why=its type has no norm; hand over FLOAT16, BFLOAT16, FLOAT32 or FLOAT64");
        }
        return super.apply(gradient, step);
    }

    @Override
    Flux<Gradient> ended(List<Gradient> all, StepView step) {
        Mono<Double> norm = Mono.fromCallable(() -> norm(all)).subscribeOn(Buckets.PACKING);
        return (isBroadcast ? norm.flatMap(own -> common(own, step)).publishOn(Buckets.PACKING) : norm)
                .doOnNext(common -> clip(all, common))
                .thenMany(Flux.fromIterable(all));
    }

    private static double norm(List<Gradient> all) {
        FloatScan scan = new FloatScan();
        all.stream().sorted(Comparator.comparing(Gradient::name)).forEach(each -> {
            requireDistinctRows(each);
            using(each, () -> scan.addSquares(each.tensor()));
        });
        return Math.sqrt(scan.squares());
    }

    /** Rows that stand for one row of the dense gradient would each count alone. */
    private static void requireDistinctRows(Gradient gradient) {
        long[] rows = gradient.rows() == null
                ? new long[0]
                : gradient.rows().indices().toLongArray();
        for (int i = 1; i < rows.length; i++) {
            if (rows[i - 1] >= rows[i]) {
                throw new InvalidCallException(
                        REFUSAL + ": name=" + gradient.name() + ", row=" + rows[i - 1]
                                + ", why=its rows are not distinct and ascending; reduce it in GradientBuckets, which add up rows");
            }
        }
    }

    private static Mono<Double> common(double own, StepView step) {
        Tensor norm = Tensor.of(new double[] {own});
        return step.group()
                .named("norm")
                .broadcast(norm, 0)
                .map(work -> norm.toDoubleArray()[0])
                .doFinally(end -> norm.close());
    }

    /** A norm that is a NaN makes all gradients NaN, and an infinite one zeros or NaN, as in torch. */
    private void clip(List<Gradient> all, double norm) {
        double factor = most / (norm + NO_DIVISION_BY_ZERO);
        if (factor >= 1) {
            return;
        }
        all.forEach(each ->
                using(each, () -> HostMoves.run(List.of(Move.scaled(each.tensor(), each.tensor(), factor)))));
    }
}
