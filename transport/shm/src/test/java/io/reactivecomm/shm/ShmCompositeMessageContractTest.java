package io.reactivecomm.shm;

import io.reactivecomm.testkit.group.CompositeMessageContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class ShmCompositeMessageContractTest extends CompositeMessageContract implements ShmWorlds {}
