package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.stream.StreamObserverContract;

class LocalStreamObserverTest extends StreamObserverContract implements LocalWorlds {}
