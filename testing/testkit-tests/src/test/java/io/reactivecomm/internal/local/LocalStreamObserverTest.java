package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.StreamObserverContract;

class LocalStreamObserverTest extends StreamObserverContract implements LocalWorlds {}
