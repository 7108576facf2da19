package io.reactivecomm.samples.programs.optimizer;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * 1-bit LAMB: LAMB for a while, then momenta as signs, with coefficients of layers that follow from those of that time.
 *
 * <p>After the warm-up of T steps, which is read from the compression, LAMB's own coefficient would be no use: with a variance that is kept, and momenta that are signs, it
 * tells little. So the mean of the coefficients of the warm-up is kept, too, and multiplied by how much smaller the variance has become since. For each layer:
 *
 * <pre>
 *   t &lt; T     LAMB's step, with its coefficient c                                      C = β3·C + (1 − β3)·c
 *   t = T     w = v                                                                    s = mean of all layers' ‖m‖/√n, divided by this one's
 *   t ≥ T     m' = β1·m + (1 − β1)·g, with the rank's own gradient g
 *             m' = compressed average of the ranks' s·m', all layers in one, divided by s
 *             ĝ = (m' − β1·m) / (1 − β1)          m = m'                               w = β2·w + (1 − β2)·ĝ²
 *             r = max (√v + ε) / (√w + ε), at least r_min and at most r_max, and at most r_threshold away from the r of before
 *             x = x − γ·r·C·m / (√v + ε)
 * </pre>
 *
 * <p>Layers whose momenta differ in size would be poorly served by one scale for all signs: s brings them to one size before they are fused.
 *
 * <p><b>Zeros and errors.</b> As in {@link OneBitAdam}.
 *
 * <p><b>Cost.</b> An all-reduce of all gradients a step, and a 32nd of its bytes after the warm-up.
 *
 * <p><b>Source.</b> Li et al., <em>1-bit LAMB</em>, 2021 (arXiv 2104.06069), algorithm 1; r of the divisors, as in DeepSpeed's 1-bit LAMB.
 */
public final class OneBitLamb implements Optimizer {

    private final RankAverage ranks;
    private final Moments moments;
    private final LayerSteps layers;
    private final FrozenCoefficients coefficients;
    private final FusedScales scales;
    private final long warmUpSteps;
    private long step;

    /** @param ranges of all parameters, in order */
    public OneBitLamb(RankAverage ranks, LambOptions options, List<LayerRange> ranges) {
        this.ranks = ranks;
        this.warmUpSteps = ranks.requireWarmUpSteps();
        ranks.requireFirstStep();
        this.moments = new Moments(options.moments(), ranges.getLast().to());
        this.layers = new LayerSteps(options, ranges, moments);
        this.coefficients = new FrozenCoefficients(options.compressed(), ranges, moments);
        this.scales = new FusedScales(ranges);
    }

    @Override
    public Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate) {
        return step < warmUpSteps
                ? warmUp(parameters, gradient, learningRate)
                : compressed(parameters, gradient, learningRate);
    }

    private Mono<Boolean> warmUp(float[] parameters, float[] gradient, float learningRate) {
        return ranks.compressed(gradient, () -> {
            moments.addToMomentum(gradient);
            moments.addToVariance(gradient);
            coefficients.add(layers.move(parameters, learningRate));
            step++;
        });
    }

    private Mono<Boolean> compressed(float[] parameters, float[] gradient, float learningRate) {
        return Mono.defer(() -> {
            if (step == warmUpSteps) {
                coefficients.freeze();
                scales.freeze(moments.momentum());
            }
            float[] momentum = moments.momentumWith(gradient);
            scales.multiply(momentum);
            return ranks.compressed(momentum, () -> {
                scales.divide(momentum);
                float[] before = moments.momentum().clone();
                moments.takeMomentum(momentum);
                moments.clearUnmoved();
                layers.move(parameters, learningRate, coefficients.after(moments.gradientSince(before)));
                step++;
            });
        });
    }
}
