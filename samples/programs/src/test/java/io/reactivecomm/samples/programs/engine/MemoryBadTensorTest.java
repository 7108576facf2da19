package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.BadTensorContract;

/** Tensors that the example engine cannot use. */
class MemoryBadTensorTest extends BadTensorContract implements MemoryWorlds {}
