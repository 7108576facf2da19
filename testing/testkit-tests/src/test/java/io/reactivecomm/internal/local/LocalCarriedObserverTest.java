package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.group.CarriedObserverContract;

class LocalCarriedObserverTest extends CarriedObserverContract implements LocalWorlds {}
