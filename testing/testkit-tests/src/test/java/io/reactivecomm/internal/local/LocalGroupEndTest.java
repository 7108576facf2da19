package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.GroupEndContract;

class LocalGroupEndTest extends GroupEndContract implements LocalWorlds {}
