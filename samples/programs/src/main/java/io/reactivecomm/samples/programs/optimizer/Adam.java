package io.reactivecomm.samples.programs.optimizer;

import reactor.core.publisher.Mono;

/**
 * Adam over the exact average of all ranks' gradients.
 *
 * <pre>
 *   g = average of the ranks' gradients      m, v as {@link Moments} has them      x = x − γ·m / (√v + ε)
 * </pre>
 *
 * <p><b>Cost.</b> An all-reduce of all gradients a step.
 *
 * <p><b>Source.</b> Kingma and Ba, <em>Adam</em>, 2015, without the correction of the first steps, as Tang et al., <em>1-bit Adam</em>, 2021, write it.
 */
public final class Adam implements Optimizer {

    private final RankAverage ranks;
    private final Moments moments;

    public Adam(RankAverage ranks, AdamOptions options, int count) {
        this.ranks = ranks;
        this.moments = new Moments(options, count);
    }

    @Override
    public Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate) {
        return ranks.exact(gradient, () -> {
            moments.addToMomentum(gradient);
            moments.addToVariance(gradient);
            moments.move(parameters, learningRate);
        });
    }
}
