package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.BadObjectContract;

class LocalBadObjectTest extends BadObjectContract implements LocalWorlds {}
