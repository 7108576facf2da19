package io.reactivecomm.shm;

import io.reactivecomm.testkit.group.StepMessageContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class ShmStepMessageContractTest extends StepMessageContract implements ShmWorlds {}
