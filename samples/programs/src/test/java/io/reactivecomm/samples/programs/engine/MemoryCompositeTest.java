package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.CompositeContract;

/** Composite calls over the example engine. */
class MemoryCompositeTest extends CompositeContract implements MemoryWorlds {}
