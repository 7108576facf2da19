package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.BarrierContract;

class LocalBarrierTest extends BarrierContract implements LocalWorlds {}
