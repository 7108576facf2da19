package io.reactivecomm.samples.programs.optimizer;

import reactor.core.publisher.Mono;

/**
 * 1-bit Adam: Adam for a while, then momenta as signs, divided by the variance of that time.
 *
 * <p>Error feedback corrects what is linear in what was compressed. Adam's step is not linear in gradients, for it divides by the root of their squares. But the variance
 * soon changes little. So it is kept as it is after the warm-up of T steps, and Adam with a constant divisor is linear in the momentum:
 *
 * <pre>
 *   t &lt; T     g = average of the ranks' gradients         m, v as {@link Moments} has them      x = x − γ·m / (√v + ε)
 *   t ≥ T     m = β1·m + (1 − β1)·g, the rank's own       v stays
 *             m = compressed average of the ranks' m                                       x = x − γ·m / (√v + ε)
 * </pre>
 *
 * <p>T is read from the compression, whose own first T averages are exact: what travels under the name is the gradient until then, and the momentum from then on.
 *
 * <p><b>Errors.</b> A step whose average fails or is not finite changes neither the means nor the parameters, and can be taken again.
 *
 * <p><b>Zeros.</b> A sign has no zero. Parameters that never get a gradient belong into a mask of the compression; those that have had none in the warm-up stay as they are.
 *
 * <p><b>Cost.</b> An all-reduce of all gradients a step, and a 32nd of its bytes after the warm-up.
 *
 * <p><b>Source.</b> Tang et al., <em>1-bit Adam</em>, 2021 (arXiv 2102.02888), algorithm 1.
 */
public final class OneBitAdam implements Optimizer {

    private final RankAverage ranks;
    private final Moments moments;
    private final long warmUpSteps;
    private long step;

    public OneBitAdam(RankAverage ranks, AdamOptions options, int count) {
        this.ranks = ranks;
        this.warmUpSteps = ranks.requireWarmUpSteps();
        ranks.requireFirstStep();
        this.moments = new Moments(options, count);
    }

    @Override
    public Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate) {
        Runnable moved = () -> {
            moments.move(parameters, learningRate);
            step++;
        };
        return step < warmUpSteps ? warmUp(gradient, moved) : compressed(gradient, moved);
    }

    private Mono<Boolean> warmUp(float[] gradient, Runnable moved) {
        return ranks.compressed(gradient, () -> {
            moments.addToMomentum(gradient);
            moments.addToVariance(gradient);
            moved.run();
        });
    }

    private Mono<Boolean> compressed(float[] gradient, Runnable moved) {
        return Mono.defer(() -> {
            float[] momentum = moments.momentumWith(gradient);
            return ranks.compressed(momentum, () -> {
                moments.takeMomentum(momentum);
                moments.clearUnmoved();
                moved.run();
            });
        });
    }
}
