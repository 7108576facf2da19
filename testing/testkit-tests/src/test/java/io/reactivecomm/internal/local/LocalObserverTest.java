package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.ObserverContract;

class LocalObserverTest extends ObserverContract implements LocalWorlds {}
