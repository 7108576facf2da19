package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.GroupContract;

class LocalGroupTest extends GroupContract implements LocalWorlds {}
