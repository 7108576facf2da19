package io.reactivecomm.local;

import io.reactivecomm.testkit.PartsContract;

class LocalPartsTest extends PartsContract implements LocalWorlds {}
