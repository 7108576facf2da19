package io.reactivecomm.pytorch;

import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepView;
import reactor.core.publisher.Mono;

/**
 * The hook that broadcasts buffers at the beginning of a step, within its composite call.
 *
 * @param scope with the group of the model
 */
record BufferBroadcast(HookScope scope) implements GradientHook {

    @Override
    public void begins(StepView step) {
        step.context().get(SyncedPass.class).begins(step);
    }

    @Override
    public Mono<Gradient> apply(Gradient gradient, StepView step) {
        return Mono.just(gradient);
    }

    @Override
    public String label() {
        return "buffers";
    }
}
