package io.reactivecomm.shm;

import io.reactivecomm.testkit.CompositeContract;

class ShmCompositeContractTest extends CompositeContract implements ShmWorlds {}
