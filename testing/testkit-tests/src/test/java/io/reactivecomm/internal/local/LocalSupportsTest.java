package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.SupportsContract;

class LocalSupportsTest extends SupportsContract implements LocalWorlds {}
