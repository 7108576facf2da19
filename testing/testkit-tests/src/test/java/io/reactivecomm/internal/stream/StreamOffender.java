package io.reactivecomm.internal.stream;

import io.reactivecomm.internal.engine.Engine;

/** Breaks a rule of the house: this package may not know the engine. */
final class StreamOffender {

    private StreamOffender() {}

    static int calls(Engine engine) {
        return engine.liveCalls();
    }
}
