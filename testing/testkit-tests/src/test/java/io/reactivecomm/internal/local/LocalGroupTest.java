package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.GroupContract;

class LocalGroupTest extends GroupContract implements LocalWorlds {}
