package io.reactivecomm.local;

import io.reactivecomm.testkit.ReducedTwiceContract;

class LocalReducedTwiceTest extends ReducedTwiceContract implements LocalWorlds {}
