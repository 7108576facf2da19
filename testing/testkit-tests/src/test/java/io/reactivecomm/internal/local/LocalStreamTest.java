package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.StreamContract;

class LocalStreamTest extends StreamContract implements LocalWorlds {}
