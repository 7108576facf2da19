package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ReductionContract;

class LocalReductionTest extends ReductionContract implements LocalWorlds {}
