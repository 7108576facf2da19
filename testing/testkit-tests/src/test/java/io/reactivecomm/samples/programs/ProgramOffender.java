package io.reactivecomm.samples.programs;

import io.reactivecomm.internal.engine.Engine;

/** Breaks a rule of the house: a program may not name the engine. */
final class ProgramOffender {

    private ProgramOffender() {}

    static int calls(Engine engine) {
        return engine.liveCalls();
    }
}
