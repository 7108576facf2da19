package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.GroupLifeContract;

class LocalGroupLifeTest extends GroupLifeContract implements LocalWorlds {}
