package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.ObserverContract;

class LocalObserverTest extends ObserverContract implements LocalWorlds {}
