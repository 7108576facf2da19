package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.GroupEndContract;

class LocalGroupEndTest extends GroupEndContract implements LocalWorlds {}
