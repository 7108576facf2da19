package io.reactivecomm.internal.train;

import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;

/**
 * A hook of a step.
 *
 * @param operation of its composite call, which ranks compare; empty if it makes no calls
 */
public record StepHook(GradientHook hook, HookScope scope, String operation) {

    HookPlace place() {
        return new HookPlace(scope.group() != null, scope.names());
    }
}
