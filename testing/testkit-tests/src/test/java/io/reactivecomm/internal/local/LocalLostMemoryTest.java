package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.LostMemoryContract;

class LocalLostMemoryTest extends LostMemoryContract implements LocalWorlds {}
