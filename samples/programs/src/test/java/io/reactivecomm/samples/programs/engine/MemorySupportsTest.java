package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.collective.SupportsContract;
import org.junit.jupiter.api.Tag;

/** The support of the example engine, by issuing each call. */
@Tag("repeated")
class MemorySupportsTest extends SupportsContract implements MemoryWorlds {}
