package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.collective.BadTensorContract;
import org.junit.jupiter.api.Tag;

/** Tensors that the example engine cannot use. */
@Tag("repeated")
class MemoryBadTensorTest extends BadTensorContract implements MemoryWorlds {}
