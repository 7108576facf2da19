package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.PartsContract;

class LocalPartsTest extends PartsContract implements LocalWorlds {}
