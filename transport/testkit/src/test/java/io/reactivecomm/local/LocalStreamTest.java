package io.reactivecomm.local;

import io.reactivecomm.testkit.StreamContract;

class LocalStreamTest extends StreamContract implements LocalWorlds {}
