package io.reactivecomm.local;

import io.reactivecomm.testkit.CollectiveContract;

class LocalCollectiveTest extends CollectiveContract implements LocalWorlds {}
