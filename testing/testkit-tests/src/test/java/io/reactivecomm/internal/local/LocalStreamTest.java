package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StreamContract;

class LocalStreamTest extends StreamContract implements LocalWorlds {}
