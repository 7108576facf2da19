package io.reactivecomm.device;

import io.reactivecomm.testkit.group.ObjectContract;
import org.junit.jupiter.api.Tag;

/** Collectives of objects in a world that has devices: their bytes are in the host's memory. */
@Tag("repeated")
@Tag("thorough")
class FakeObjectTest extends ObjectContract implements FakeWorlds {}
