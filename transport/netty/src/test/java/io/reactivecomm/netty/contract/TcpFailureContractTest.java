package io.reactivecomm.netty.contract;

import io.reactivecomm.testkit.collective.BadCallContract;
import io.reactivecomm.testkit.collective.DisagreementContract;
import io.reactivecomm.testkit.collective.FaultContract;
import io.reactivecomm.testkit.group.FatalErrorContract;
import io.reactivecomm.testkit.group.LostMemoryContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of what goes wrong: calls, ranks, memory and machines, over TCP on loopback. */
@Tag("repeated")
class TcpFailureContractTest {

    @Nested
    @Tag("thorough")
    class BadCalls extends BadCallContract implements TcpWorlds {}

    @Nested
    @Tag("thorough")
    class Disagreements extends DisagreementContract implements TcpWorlds {}

    @Nested
    class Faults extends FaultContract implements TcpWorlds {}

    @Nested
    class FatalErrors extends FatalErrorContract implements TcpWorlds {}

    @Nested
    class LostMemory extends LostMemoryContract implements TcpWorlds {}
}
