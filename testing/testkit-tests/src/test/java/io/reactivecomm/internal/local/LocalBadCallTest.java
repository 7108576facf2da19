package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.BadCallContract;

class LocalBadCallTest extends BadCallContract implements LocalWorlds {}
