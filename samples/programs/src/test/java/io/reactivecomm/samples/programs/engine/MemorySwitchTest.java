package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.SwitchContract;

/** The switches of worlds over the example engine. */
class MemorySwitchTest extends SwitchContract implements MemoryWorlds {}
