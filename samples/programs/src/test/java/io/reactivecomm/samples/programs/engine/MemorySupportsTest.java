package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.SupportsContract;

/** What the example engine supports. */
class MemorySupportsTest extends SupportsContract implements MemoryWorlds {}
