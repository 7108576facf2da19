package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.CoalesceContract;

/** Scopes over the example engine. */
class MemoryCoalesceTest extends CoalesceContract implements MemoryWorlds {}
