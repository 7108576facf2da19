package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.testkit.collective.SubscriptionContract;
import org.junit.jupiter.api.Tag;

/** Calls over the example engine that are subscribed to in any order, and again. */
@Tag("repeated")
@Tag("thorough")
class MemorySubscriptionTest extends SubscriptionContract implements MemoryWorlds {}
