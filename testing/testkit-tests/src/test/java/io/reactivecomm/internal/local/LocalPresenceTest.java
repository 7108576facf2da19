package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.PresenceContract;

class LocalPresenceTest extends PresenceContract implements LocalWorlds {}
