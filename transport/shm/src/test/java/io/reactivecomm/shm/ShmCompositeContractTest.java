package io.reactivecomm.shm;

import io.reactivecomm.testkit.group.CompositeContract;
import org.junit.jupiter.api.Tag;

@Tag("repeated")
class ShmCompositeContractTest extends CompositeContract implements ShmWorlds {}
