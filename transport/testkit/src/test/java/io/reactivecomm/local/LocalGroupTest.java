package io.reactivecomm.local;

import io.reactivecomm.testkit.GroupContract;

class LocalGroupTest extends GroupContract implements LocalWorlds {}
