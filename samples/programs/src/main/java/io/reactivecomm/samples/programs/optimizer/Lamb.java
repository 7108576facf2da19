package io.reactivecomm.samples.programs.optimizer;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * LAMB over the exact average of all ranks' gradients: Adam whose steps are in proportion to each layer's weights.
 *
 * <p>For the parameters x of each layer, with m and v as {@link Moments} has them:
 *
 * <pre>
 *   d = m / (√v + ε)          c = ‖x‖ / ‖d‖, at least c_min and at most c_max; 1 if a norm is 0          x = x − γ·c·d
 * </pre>
 *
 * <p><b>Cost.</b> An all-reduce of all gradients a step.
 *
 * <p><b>Source.</b> You et al., <em>Large Batch Optimization for Deep Learning</em>, 2020 (arXiv 1904.00962), algorithm 2, without weight decay and without the correction of the
 * first steps, as Li et al., <em>1-bit LAMB</em>, 2021, write it.
 */
public final class Lamb implements Optimizer {

    private final RankAverage ranks;
    private final Moments moments;
    private final LayerSteps layers;

    /** @param ranges of all parameters, in order */
    public Lamb(RankAverage ranks, LambOptions options, List<LayerRange> ranges) {
        this.ranks = ranks;
        this.moments = new Moments(options.moments(), ranges.getLast().to());
        this.layers = new LayerSteps(options, ranges, moments);
    }

    @Override
    public Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate) {
        return ranks.exact(gradient, () -> {
            moments.addToMomentum(gradient);
            moments.addToVariance(gradient);
            layers.move(parameters, learningRate);
        });
    }
}
