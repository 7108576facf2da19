package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.collective.FaultContract;

class LocalFaultTest extends FaultContract implements LocalWorlds {}
