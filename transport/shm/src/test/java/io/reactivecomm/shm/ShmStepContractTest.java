package io.reactivecomm.shm;

import io.reactivecomm.testkit.StepContract;

class ShmStepContractTest extends StepContract implements ShmWorlds {}
