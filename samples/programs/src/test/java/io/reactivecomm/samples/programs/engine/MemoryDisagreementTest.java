package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.collective.DisagreementContract;
import org.junit.jupiter.api.Tag;

/** Disagreements of ranks over the example engine, and of some that give their calls to links. */
@Tag("repeated")
class MemoryDisagreementTest extends DisagreementContract implements MemoryWorlds {}
