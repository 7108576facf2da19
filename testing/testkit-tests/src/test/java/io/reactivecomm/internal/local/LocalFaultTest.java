package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.FaultContract;

class LocalFaultTest extends FaultContract implements LocalWorlds {}
