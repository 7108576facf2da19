package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.BadCallContract;

class LocalBadCallTest extends BadCallContract implements LocalWorlds {}
