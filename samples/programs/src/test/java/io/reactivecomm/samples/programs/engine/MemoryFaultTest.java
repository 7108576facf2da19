package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.FaultContract;

/** Ranks that never call, leave or abort, over the example engine. */
class MemoryFaultTest extends FaultContract implements MemoryWorlds {}
