package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.collective.FaultContract;
import org.junit.jupiter.api.Tag;

/** Ranks that never call, leave or abort, over the example engine. */
@Tag("repeated")
class MemoryFaultTest extends FaultContract implements MemoryWorlds {}
