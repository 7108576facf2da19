package io.reactivecomm.samples.programs.optimizer;

import io.reactivecomm.deepspeed.OneBitParams.AdamParams;

/**
 * The settings of Adam and its kin.
 *
 * @param beta1 how much of the momentum stays in a step
 * @param beta2 how much of the variance stays in a step
 * @param epsilon what keeps a divisor from being 0
 */
public record AdamOptions(float beta1, float beta2, float epsilon) {

    /** The values of Adam's paper, and the defaults of all of DeepSpeed's optimizers of this kind. */
    public static final AdamOptions DEFAULT = new AdamOptions(0.9f, 0.999f, 1e-8f);

    public AdamOptions {
        if (!(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1 && epsilon > 0)) {
            throw new IllegalArgumentException("no such Adam: beta1=" + beta1 + ", beta2=" + beta2 + ", epsilon="
                    + epsilon + "; give two shares from 0 to below 1 and an epsilon above 0");
        }
    }

    /** {@return those of one of DeepSpeed's optimizers, whose learning rate is an argument of each step here} */
    public static AdamOptions of(AdamParams params) {
        return new AdamOptions((float) params.beta1(), (float) params.beta2(), (float) params.epsilon());
    }

    public AdamOptions withEpsilon(float value) {
        return new AdamOptions(beta1, beta2, value);
    }
}
