package io.reactivecomm.local;

import io.reactivecomm.testkit.DemandContract;

class LocalDemandTest extends DemandContract implements LocalWorlds {}
