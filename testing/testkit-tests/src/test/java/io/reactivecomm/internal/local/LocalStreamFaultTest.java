package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.StreamFaultContract;

class LocalStreamFaultTest extends StreamFaultContract implements LocalWorlds {}
