package io.reactivecomm.local;

import io.reactivecomm.testkit.GroupEndContract;

class LocalGroupEndTest extends GroupEndContract implements LocalWorlds {}
