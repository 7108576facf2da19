package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.DemandContract;

class LocalDemandTest extends DemandContract implements LocalWorlds {}
