package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.DemandContract;

class LocalDemandTest extends DemandContract implements LocalWorlds {}
