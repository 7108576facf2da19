package io.reactivecomm.train;

import io.reactivecomm.internal.engine.Engine;

/** Breaks a rule of the house: a type that programs name may not show them the engine. */
public final class ShowingOffender {

    private ShowingOffender() {}

    /** {@return nothing of any use} */
    public static int calls(Engine engine) {
        return engine.liveCalls();
    }
}
