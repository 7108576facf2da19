package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.DisagreementContract;

/** Disagreements of ranks over the example engine, and of some that give their calls to links. */
class MemoryDisagreementTest extends DisagreementContract implements MemoryWorlds {}
