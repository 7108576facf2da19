package io.reactivecomm.samples.programs.optimizer;

import java.util.Arrays;
import reactor.core.publisher.Mono;

/**
 * 0/1 Adam: no warm-up, a variance that is looked at less and less often, and signs of momenta that have been summed up over several steps.
 *
 * <p>In each step t, with the rank's own gradient g, learning rate γ, and t' the last step in which ranks met:
 *
 * <pre>
 *   t in T_v     v = β2·v + (1 − β2)·ḡ²          ḡ the exact average of the ranks' g
 *   always       m = β1·m + (1 − β1)·g
 *                x = x − γ·m / √(v + ε)          on this rank alone
 *                u = u + γ·m
 *   t in T_u     ū = compressed average of the ranks' u
 *                m = ū / Σγ                      over the steps after t'
 *                x = x(t') − ū / √(v + ε)        the same on all ranks again
 *                u = 0
 * </pre>
 *
 * <p>{@link ZeroOneSchedule} has T_v and T_u. Between two steps of T_u ranks go their own ways and send nothing; {@link #settle} brings them together.
 *
 * <p><b>Where this is not the paper's text.</b> What moves parameters is the momentum with the step's own gradient, as in DeepSpeed's: with the one of before, a step of T_u would
 * lose its gradient. The variance is brought up to date before the step that divides by it, as in Adam and in DeepSpeed's 0/1 Adam; otherwise the first
 * step would divide by √ε. A parameter without a variance does not move, as {@link Moments} has it.
 *
 * <p><b>Not finite.</b> A local step sends nothing, so ranks learn only when they meet that the gradients of one of them were not finite. Then all go back to the last meeting, and
 * that step says that it was not taken.
 *
 * <p><b>Cost.</b> An all-reduce of all gradients in T_v, and a 32nd of its bytes in T_u.
 *
 * <p><b>Source.</b> Lu et al., <em>Maximizing Communication Efficiency for Large-scale Training via 0/1 Adam</em>, 2022 (arXiv 2202.06009), algorithm 1.
 */
public final class ZeroOneAdam implements Optimizer {

    private final RankAverage ranks;
    private final ZeroOneSchedule schedule;
    private final float epsilon;
    private final Moments moments;
    private final float[] sum;
    /** Parameters and means of the last meeting, and the step after it. */
    private final float[] common;

    private final Moments commonMoments;
    private long commonStep;
    private float rates;
    /** Whether ranks have taken steps alone since they last met. */
    private boolean isApart;

    private long step;

    public ZeroOneAdam(RankAverage ranks, AdamOptions options, ZeroOneSchedule schedule, int count) {
        ranks.requireFirstStep();
        this.ranks = ranks;
        this.schedule = schedule;
        this.epsilon = options.epsilon();
        this.moments = new Moments(options, count);
        this.sum = new float[count];
        this.common = new float[count];
        this.commonMoments = new Moments(options, count);
    }

    @Override
    public Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate) {
        return Mono.defer(() -> {
                    remember(parameters);
                    return updateVariance(gradient);
                })
                .flatMap(isFinite -> isFinite ? move(parameters, gradient, learningRate) : Mono.just(false))
                .doOnNext(isFinite -> {
                    if (isFinite) {
                        step++;
                    } else {
                        goBack(parameters);
                    }
                });
    }

    private void remember(float[] parameters) {
        if (!isApart) {
            System.arraycopy(parameters, 0, common, 0, common.length);
            commonMoments.take(moments);
            commonStep = step;
        }
    }

    /** To the last meeting, on all ranks: what one of them has made of its own gradients since then is not finite, and others cannot know in which step. */
    private void goBack(float[] parameters) {
        System.arraycopy(common, 0, parameters, 0, common.length);
        moments.take(commonMoments);
        step = commonStep;
        beginAnew();
    }

    private void beginAnew() {
        Arrays.fill(sum, 0);
        rates = 0;
        isApart = false;
    }

    private Mono<Boolean> updateVariance(float[] gradient) {
        if (!schedule.averagesGradients(step)) {
            return Mono.just(true);
        }
        float[] average = gradient.clone();
        return ranks.exact(average, () -> moments.addToVariance(average));
    }

    private Mono<Boolean> move(float[] parameters, float[] gradient, float learningRate) {
        moveAlone(parameters, gradient, learningRate);
        return schedule.averagesMomenta(step) ? meet(parameters) : Mono.just(true);
    }

    private void moveAlone(float[] parameters, float[] gradient, float learningRate) {
        isApart = true;
        moments.addToMomentum(gradient);
        rates += learningRate;
        for (int i = 0; i < parameters.length; i++) {
            float part = learningRate * moments.momentum()[i];
            parameters[i] -= scaled(part, i);
            sum[i] += part;
        }
    }

    private Mono<Boolean> meet(float[] parameters) {
        return ranks.compressed(sum, () -> {
            for (int i = 0; i < parameters.length; i++) {
                parameters[i] = common[i] - scaled(sum[i], i);
            }
            takeMeanMomentum();
            beginAnew();
        });
    }

    /** Where all learning rates were 0 the sum has no momentum in it: each rank keeps its own. */
    private void takeMeanMomentum() {
        if (rates != 0) {
            for (int i = 0; i < sum.length; i++) {
                moments.momentum()[i] = sum[i] / rates;
            }
        }
        moments.clearUnmoved();
    }

    /** {@return what a part of the sum moves a parameter by} */
    private float scaled(float part, int i) {
        return moments.isMoved(i) ? part / (float) Math.sqrt(moments.variance()[i] + epsilon) : 0;
    }

    /** Ranks meet out of turn, if they have not just done so. */
    @Override
    public Mono<Void> settle(float[] parameters) {
        return Mono.defer(() -> isApart ? meet(parameters) : Mono.just(true))
                .doOnNext(isFinite -> {
                    if (!isFinite) {
                        goBack(parameters);
                    }
                })
                .then();
    }
}
