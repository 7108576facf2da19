package io.reactivecomm.internal.train;

import io.reactivecomm.internal.engine.Engine;

/** Breaks a rule of the house: this package may not know the engine. */
final class BucketOffender {

    private BucketOffender() {}

    static int calls(Engine engine) {
        return engine.liveCalls();
    }
}
