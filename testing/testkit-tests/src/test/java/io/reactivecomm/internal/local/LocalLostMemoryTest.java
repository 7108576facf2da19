package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.LostMemoryContract;

class LocalLostMemoryTest extends LostMemoryContract implements LocalWorlds {}
