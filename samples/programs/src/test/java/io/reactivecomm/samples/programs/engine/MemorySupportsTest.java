package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.SupportsContract;

/** The support of the example engine, by issuing each call. */
class MemorySupportsTest extends SupportsContract implements MemoryWorlds {}
