package io.reactivecomm.shm;

import io.reactivecomm.testkit.CompositeMessageContract;

class ShmCompositeMessageContractTest extends CompositeMessageContract implements ShmWorlds {}
