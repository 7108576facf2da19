package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.SupportsContract;

class LocalSupportsTest extends SupportsContract implements LocalWorlds {}
