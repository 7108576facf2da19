package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BarrierContract;

class LocalBarrierTest extends BarrierContract implements LocalWorlds {}
