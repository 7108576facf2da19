package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.group.SwitchContract;
import org.junit.jupiter.api.Tag;

/** The switches of worlds over the example engine. */
@Tag("repeated")
class MemorySwitchTest extends SwitchContract implements MemoryWorlds {}
