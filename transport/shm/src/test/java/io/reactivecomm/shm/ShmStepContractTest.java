package io.reactivecomm.shm;

import io.reactivecomm.testkit.group.StepContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class ShmStepContractTest extends StepContract implements ShmWorlds {}
