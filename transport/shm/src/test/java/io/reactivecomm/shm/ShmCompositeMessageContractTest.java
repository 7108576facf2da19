package io.reactivecomm.shm;

import io.reactivecomm.testkit.CompositeMessageContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class ShmCompositeMessageContractTest extends CompositeMessageContract implements ShmWorlds {}
