package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.group.CoalesceContract;
import org.junit.jupiter.api.Tag;

/** Scopes over the example engine. */
@Tag("repeated")
class MemoryCoalesceTest extends CoalesceContract implements MemoryWorlds {}
