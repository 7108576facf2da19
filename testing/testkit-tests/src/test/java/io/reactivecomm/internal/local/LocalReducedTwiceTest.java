package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.ReducedTwiceContract;

class LocalReducedTwiceTest extends ReducedTwiceContract implements LocalWorlds {}
