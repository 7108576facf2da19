package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.CarriedObserverContract;

class LocalCarriedObserverTest extends CarriedObserverContract implements LocalWorlds {}
