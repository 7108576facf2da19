package io.reactivecomm.shm;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.group.FatalErrorContract;
import io.reactivecomm.testkit.group.LostMemoryContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of what goes wrong: calls, ranks, memory and machines, through shared memory. */
@Tag("repeated")
class ShmFailureContractTest {

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements ShmWorlds {}

    @Nested
    class Faults extends FaultContract implements ShmWorlds {}

    @Nested
    @Tag("thorough")
    class FatalErrors extends FatalErrorContract implements ShmWorlds {}

    @Nested
    class LostMemory extends LostMemoryContract implements ShmWorlds {}
}
