package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.GroupLifeContract;

class LocalGroupLifeTest extends GroupLifeContract implements LocalWorlds {}
