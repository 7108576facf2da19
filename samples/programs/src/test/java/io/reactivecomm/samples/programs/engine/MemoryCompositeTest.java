package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.Tag;

/** Composite calls over the example engine. */
@Tag("repeated")
class MemoryCompositeTest extends CompositeContract implements MemoryWorlds {}
