package io.reactivecomm.shm;

import io.reactivecomm.testkit.StepMessageContract;

class ShmStepMessageContractTest extends StepMessageContract implements ShmWorlds {}
