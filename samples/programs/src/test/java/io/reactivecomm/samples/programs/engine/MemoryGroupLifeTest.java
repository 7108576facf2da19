package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.group.GroupLifeContract;
import org.junit.jupiter.api.Tag;

/** Groups over the example engine, and their ends. */
@Tag("repeated")
@Tag("thorough")
class MemoryGroupLifeTest extends GroupLifeContract implements MemoryWorlds {}
