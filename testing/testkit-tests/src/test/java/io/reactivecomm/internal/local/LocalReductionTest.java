package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.ReductionContract;

class LocalReductionTest extends ReductionContract implements LocalWorlds {}
