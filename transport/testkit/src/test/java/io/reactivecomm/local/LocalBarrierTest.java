package io.reactivecomm.local;

import io.reactivecomm.testkit.BarrierContract;

class LocalBarrierTest extends BarrierContract implements LocalWorlds {}
