package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BadObjectContract;

class LocalBadObjectTest extends BadObjectContract implements LocalWorlds {}
