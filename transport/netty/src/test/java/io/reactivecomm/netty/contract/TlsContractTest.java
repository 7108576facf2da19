package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.group.LostMemoryContract;
import io.reactivecomm.testkit.group.StepContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A part of the contracts over TLS. A thorough build runs the classes of the contracts over TCP a second time, with {@code RCOMM_TLS=all}. */
@Tag("repeated")
class TlsContractTest {

    @Nested
    class Faults extends FaultContract implements TlsWorlds {}

    @Nested
    class LostMemory extends LostMemoryContract implements TlsWorlds {}

    @Nested
    class Steps extends StepContract implements TlsWorlds {}
}
