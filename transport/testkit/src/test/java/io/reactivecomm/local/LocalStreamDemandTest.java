package io.reactivecomm.local;

import io.reactivecomm.testkit.StreamDemandContract;

class LocalStreamDemandTest extends StreamDemandContract implements LocalWorlds {}
