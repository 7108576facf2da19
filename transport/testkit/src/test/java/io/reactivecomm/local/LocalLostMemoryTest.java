package io.reactivecomm.local;

import io.reactivecomm.testkit.LostMemoryContract;

class LocalLostMemoryTest extends LostMemoryContract implements LocalWorlds {}
