package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.PartsContract;

class LocalPartsTest extends PartsContract implements LocalWorlds {}
