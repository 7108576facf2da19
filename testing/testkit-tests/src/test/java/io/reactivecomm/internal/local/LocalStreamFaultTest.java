package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StreamFaultContract;

class LocalStreamFaultTest extends StreamFaultContract implements LocalWorlds {}
