package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.StreamDemandContract;

class LocalStreamDemandTest extends StreamDemandContract implements LocalWorlds {}
