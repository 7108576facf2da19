package io.reactivecomm.device;

import io.reactivecomm.testkit.ObjectContract;

/** Collectives of objects in a world that has devices: their bytes are in the host's memory. */
class FakeObjectTest extends ObjectContract implements FakeWorlds {}
