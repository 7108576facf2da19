package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ReducedTwiceContract;

class LocalReducedTwiceTest extends ReducedTwiceContract implements LocalWorlds {}
