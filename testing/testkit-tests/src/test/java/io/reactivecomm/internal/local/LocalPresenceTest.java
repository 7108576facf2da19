package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.train.PresenceContract;

class LocalPresenceTest extends PresenceContract implements LocalWorlds {}
