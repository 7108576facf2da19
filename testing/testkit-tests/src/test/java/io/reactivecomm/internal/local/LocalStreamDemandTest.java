package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StreamDemandContract;

class LocalStreamDemandTest extends StreamDemandContract implements LocalWorlds {}
