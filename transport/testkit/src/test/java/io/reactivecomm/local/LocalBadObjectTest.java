package io.reactivecomm.local;

import io.reactivecomm.testkit.BadObjectContract;

class LocalBadObjectTest extends BadObjectContract implements LocalWorlds {}
